package alertword

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Words is a change of one user's alert words. Add and Remove contain keys (see Key).
type Words struct {
	User   user.ID  `json:"user"`
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
}

// Shared is the slot for the alert words of a realm's users.
var Shared = directory.NewSlot("words", (*Index).changed, Words.inverse)

func (x *Index) changed(w Words) *Index { return x.With(w.User, w.Add, w.Remove) }

func (w Words) inverse() Words { return Words{User: w.User, Add: w.Remove, Remove: w.Add} }

// Alerted returns the active users one of whose alert words occurs in the source of a message.
func Alerted(v *directory.View, source string) user.Set {
	language := ""
	if v.Realm() != nil {
		language = v.Realm().Settings.DefaultCodeBlockLanguage
	}
	return Shared.In(v).In(source, language).And(v.Active())
}
