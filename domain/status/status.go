// Package status is what people say that they are doing: a few words, an emoji. That they do not want others to know
// whether they are there is a setting of theirs (presence_enabled), which clients know as "away" too.
package status

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
)

// MaxText is how many characters the words have at most.
const MaxText = 60

// Status is what somebody says; the zero value is nothing.
type Status struct {
	Text      string
	EmojiName string
	EmojiCode string
	EmojiType string
}

// Change is what somebody wants to say instead. What is nil stays, "" is taken away.
type Change struct {
	Text      *string
	EmojiName *string
	EmojiCode *string
	EmojiType *string
}

// Said tells whether anything is to change at all.
func (c Change) Said() bool { return c.Text != nil || c.EmojiName != nil }

// With gives the status after a change. The code and the type of an emoji follow from its name where they are not
// given; they are nothing without it. Errors: BadRequest.
func (s Status) With(c Change, all message.Emojis) (Status, error) {
	if c.Text != nil {
		text, err := checkText(*c.Text)
		if err != nil {
			return s, err
		}
		s.Text = text
	}
	code, kind := value(c.EmojiCode), value(c.EmojiType)
	switch {
	case c.EmojiName == nil && (c.EmojiCode != nil || c.EmojiType != nil):
		return s, errs.Bad("Client must pass emoji_name if they pass either emoji_code or reaction_type.")
	case c.EmojiName == nil:
		return s, nil
	case *c.EmojiName == "":
		s.EmojiName, s.EmojiCode, s.EmojiType = "", "", ""
		return s, nil
	}
	r, err := message.ResolveReaction(all, *c.EmojiName, code, kind)
	if err != nil {
		return s, err
	}
	s.EmojiName, s.EmojiCode, s.EmojiType = r.Name, r.Code, r.Type
	return s, message.CheckReaction(all, r)
}

// Spell changes the emoji's type among the fields of a change to the client's spelling. It returns fields, or a changed
// copy.
func Spell(fields map[string]any, zulip bool) map[string]any {
	if stored, ok := fields[typeField].(string); ok && message.ShownType(stored, zulip) != stored {
		fields = maps.Clone(fields)
		fields[typeField] = message.ShownType(stored, zulip)
	}
	return fields
}

const typeField = "reaction_type"

func checkText(s string) (string, error) {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > MaxText {
		return "", errs.Bad("status_text is too long (limit: %d characters)", MaxText)
	}
	if !utf8.ValidString(s) ||
		strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return "", errs.Bad("Invalid character in status_text.")
	}
	return s, nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Shown is a status as clients see it: only what is said.
type Shown struct {
	Text      string `json:"status_text,omitempty"`
	EmojiName string `json:"emoji_name,omitempty"`
	EmojiCode string `json:"emoji_code,omitempty"`
	EmojiType string `json:"reaction_type,omitempty"`
	Away      bool   `json:"away,omitempty"`
}

// Shown gives s as a client sees it; zulip says that it is a Zulip client (realm.Naming).
func (s Status) Shown(away, zulip bool) Shown {
	return Shown{s.Text, s.EmojiName, s.EmojiCode, message.ShownType(s.EmojiType, zulip), away}
}

// Differing gives what is told when a status is another: what changed of it, and of an emoji all three parts. What was
// taken away is "".
func (s Status) Differing(was Status) map[string]any {
	out := map[string]any{}
	if s.Text != was.Text {
		out["status_text"] = s.Text
	}
	if s.EmojiName != was.EmojiName || s.EmojiCode != was.EmojiCode || s.EmojiType != was.EmojiType {
		out["emoji_name"], out["emoji_code"], out[typeField] = s.EmojiName, s.EmojiCode, s.EmojiType
	}
	return out
}
