// Package status describes users' status messages: a short text and an emoji. Hiding one's presence is a setting
// (presence_enabled), which clients also show as "away".
package status

import (
	"maps"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
)

// MaxText is the maximum length of the text in characters.
const MaxText = 60

// Status is a user's status; the zero value is none.
type Status struct {
	Text      string
	EmojiName string
	EmojiCode string
	EmojiType string
	End       int64 // when it is removed, in seconds since 1970; 0: never
}

// Ended reports whether the status should be removed at now.
func (s Status) Ended(now time.Time) bool { return s.End != 0 && s.End <= now.Unix() }

// MaxDuration is the maximum time until the end of a status.
const MaxDuration = 10 * 366 * 24 * time.Hour

// Change lists changes to a status; nil fields stay unchanged, "" clears.
type Change struct {
	Text      *string
	EmojiName *string
	EmojiCode *string
	EmojiType *string
	End       *int64
}

// Any reports whether a text, an emoji or an end is given.
func (c Change) Any() bool { return c.Text != nil || c.EmojiName != nil || c.End != nil }

// With returns the status after a change. A changed text or emoji does not keep the end of the former one, and an empty
// status has no end. Errors: BadRequest.
func (s Status) With(c Change, all message.Emojis, now time.Time) (Status, error) {
	next, err := s.saying(c, all)
	if err != nil {
		return s, err
	}
	switch {
	case c.End != nil && *c.End != 0 && (*c.End <= now.Unix() || *c.End > now.Add(MaxDuration).Unix()):
		return s, errs.Bad("scheduled_end_time must be in the future, within ten years.")
	case next.Text == "" && next.EmojiName == "":
		next.End = 0
	case c.End != nil:
		next.End = *c.End
	case next != s:
		next.End = 0
	}
	return next, nil
}

// saying returns the status with another text and emoji. An emoji's code and type follow from its name unless given,
// and are empty without one. Errors: BadRequest.
func (s Status) saying(c Change, all message.Emojis) (Status, error) {
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

// Spell returns fields with the emoji type in the client's spelling. It does not modify fields but returns a copy if
// necessary.
func Spell(fields map[string]any, zulip bool) map[string]any {
	if stored, ok := fields[typeField].(string); ok && message.ShownType(stored, zulip) != stored {
		fields = maps.Clone(fields)
		fields[typeField] = message.ShownType(stored, zulip)
	}
	return fields
}

// Visible returns the fields that a client may receive, without the end unless it is capable of it, and whether they
// contain anything but the user's ID. It does not modify fields.
func Visible(fields map[string]any, ends bool) (map[string]any, bool) {
	if _, ok := fields[endField]; ok && !ends {
		fields = maps.Clone(fields)
		delete(fields, endField)
	}
	n := len(fields)
	if _, ok := fields["user_id"]; ok {
		n--
	}
	return fields, n > 0
}

const (
	typeField = "reaction_type"
	endField  = "scheduled_end_time"
)

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

// Shown is a status in wire form, without empty fields.
type Shown struct {
	Text      string `json:"status_text,omitempty"`
	EmojiName string `json:"emoji_name,omitempty"`
	EmojiCode string `json:"emoji_code,omitempty"`
	EmojiType string `json:"reaction_type,omitempty"`
	End       int64  `json:"scheduled_end_time,omitempty"`
	Away      bool   `json:"away,omitempty"`
}

// Shown returns the wire form of s, with its end if ends is set; zulip selects the spelling for Zulip clients
// (realm.KnowsOnlyZulipNames).
func (s Status) Shown(away, zulip, ends bool) Shown {
	shown := Shown{s.Text, s.EmojiName, s.EmojiCode, message.ShownType(s.EmojiType, zulip), 0, away}
	if ends {
		shown.End = s.End
	}
	return shown
}

// Differing returns the changed fields for the event: for a changed emoji all three parts; cleared values are "".
func (s Status) Differing(was Status) map[string]any {
	out := map[string]any{}
	if s.Text != was.Text {
		out["status_text"] = s.Text
	}
	if s.EmojiName != was.EmojiName || s.EmojiCode != was.EmojiCode || s.EmojiType != was.EmojiType {
		out["emoji_name"], out["emoji_code"], out[typeField] = s.EmojiName, s.EmojiCode, s.EmojiType
	}
	if s.End != was.End {
		out[endField] = s.End
	}
	return out
}
