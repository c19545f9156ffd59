// Package profilefield is the fields that a realm asks people to fill in about themselves, and what may stand in them.
package profilefield

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a field; it is never used again.
type ID int64

// Type says what may stand in a field. It never changes.
type Type int

// The types, with the numbers of the wire.
const (
	ShortText Type = 1
	LongText  Type = 2
	Select    Type = 3 // one of a list of options
	Date      Type = 4
	Link      Type = 5
	Users     Type = 6
	External  Type = 7 // a name at another service
	Pronouns  Type = 8
)

// TypeName is a type as clients show it to administrators.
type TypeName struct {
	ID   Type   `json:"id"`
	Name string `json:"name"`
}

// Types gives all types by the names that clients know them by.
func Types() map[string]TypeName {
	return map[string]TypeName{
		"SHORT_TEXT": {
			ShortText,
			"Text (short)",
		}, "LONG_TEXT": {LongText, "Text (long)"}, "SELECT": {Select, "List of options"},
		"DATE": {
			Date,
			"Date",
		}, "URL": {Link, "Link"}, "USER": {Users, "Users"}, "EXTERNAL_ACCOUNT": {External, "External account"},
		"PRONOUNS": {Pronouns, "Pronouns"},
	}
}

// Bounds of a field, in characters.
const (
	maxName = 40
	maxHint = 80
)

// MaxInSummary is how many fields of a realm stand in the summary of a profile.
const MaxInSummary = 2

// Field is one field of a realm.
type Field struct {
	ID         ID
	Type       Type
	Order      int // smaller first
	Name, Hint string
	Data       Data
	Summary    bool // stands in the summary of a profile
	Required   bool // a hint: clients ask people to fill it in; nobody is made to, and it may be emptied
	Editable   bool // by the person; administrators always may
	Matching   bool // clients find people by it
}

// Record is a field as clients see it.
type Record struct {
	ID       ID     `json:"id"`
	Type     Type   `json:"type"`
	Order    int    `json:"order"`
	Name     string `json:"name"`
	Hint     string `json:"hint"`
	Data     string `json:"field_data"` // JSON text, or "" for types that need none
	Required bool   `json:"required"`
	Editable bool   `json:"editable_by_user"`
	Summary  bool   `json:"display_in_profile_summary,omitempty"`
	Matching bool   `json:"use_for_user_matching,omitempty"`
}

// Record gives f as clients see it.
func (f *Field) Record() Record {
	return Record{f.ID, f.Type, f.Order, f.Name, f.Hint, f.Data.String(), f.Required, f.Editable, f.Summary, f.Matching}
}

// Rendered tells whether values of that type are Markdown.
func (t Type) Rendered() bool { return t == ShortText || t == LongText }

// Check gives the field as it is kept, or says why there can be no such field. had is the name that it has so far, ""
// if it is new: it may be older than the rules, and is kept then. Errors: BadRequest.
func (f Field) Check(had string) (Field, error) {
	if f.Type < ShortText || f.Type > Pronouns {
		return f, errs.Bad("Invalid field type.")
	}
	if p, ok := f.Data.preset(); ok {
		f.Name, f.Hint = p.Name, p.Hint
	}
	f.Name, f.Hint = strings.TrimSpace(f.Name), strings.TrimSpace(f.Hint)
	switch {
	case f.Name == "", f.Name != had && user.Unshown(f.Name) == 0 && !strings.ContainsFunc(f.Name, user.Seen):
		return f, errs.Bad("Label cannot be blank.")
	case f.Summary && f.Type == Users:
		return f, errs.Bad("Field type not supported for display in profile summary.")
	case f.Matching && f.Type != ShortText && f.Type != External:
		return f, errs.Bad("Field type not supported for matching users.")
	}
	if err := line("name", f.Name, maxName); err != nil {
		return f, err
	}
	if f.Name != had && user.Unshown(f.Name) > 0 {
		return f, errs.Bad("Invalid character in name.")
	}
	return f, line("hint", f.Hint, maxHint)
}

// line refuses what is not one line of text, or a longer one. Errors: BadRequest.
func line(what, s string, limit int) error {
	if utf8.RuneCountInString(s) > limit {
		return errs.Bad("%s is too long (limit: %d characters)", what, limit)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return errs.Bad("Invalid character in %s.", what)
	}
	return nil
}
