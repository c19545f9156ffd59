package message

import (
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
)

// UnicodeEmojis looks up built-in emoji (ports.Emoji).
type UnicodeEmojis interface {
	Code(name string) (string, bool)
	Name(code string) (string, bool)
}

// EmojisIn returns the built-in emoji and those of the realm.
func EmojisIn(v *directory.View, unicode UnicodeEmojis) Emojis { return realmEmojis{v, unicode} }

type realmEmojis struct {
	v *directory.View
	UnicodeEmojis
}

// Custom implements Emojis.
func (k realmEmojis) Custom(name string) (string, bool) {
	if e := emoji.In(k.v).Named(name); e != nil {
		return strconv.FormatInt(int64(e.ID), 10), true
	}
	return "", false
}

// ByCode implements Emojis.
func (k realmEmojis) ByCode(code string) (name string, active, ok bool) {
	id, err := strconv.ParseInt(code, 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != code {
		return "", false, false
	}
	if e := emoji.In(k.v).Get(emoji.ID(id)); e != nil {
		return e.Name, !e.Deactivated, true
	}
	return "", false, false
}
