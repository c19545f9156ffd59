// Package profilefield describes a realm's custom profile fields and their values.
package profilefield

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a field; IDs are never reused.
type ID int64

// Type determines the values of a field. It never changes.
type Type int

// The types, with their wire values.
const (
	ShortText Type = 1
	LongText  Type = 2
	Select    Type = 3 // one of a list of options
	Date      Type = 4
	Link      Type = 5
	Users     Type = 6
	External  Type = 7 // a user name at an external service
	Pronouns  Type = 8
)

// TypeName is a type as shown to administrators.
type TypeName struct {
	ID   Type   `json:"id" doc:"The number of the type."`
	Name string `json:"name"`
}

// Types returns all types by the names that clients use.
func Types() map[string]TypeName {
	return map[string]TypeName{
		"SHORT_TEXT":       {ShortText, "Text (short)"},
		"LONG_TEXT":        {LongText, "Text (long)"},
		"SELECT":           {Select, "List of options"},
		"DATE":             {Date, "Date"},
		"URL":              {Link, "Link"},
		"USER":             {Users, "Users"},
		"EXTERNAL_ACCOUNT": {External, "External account"},
		"PRONOUNS":         {Pronouns, "Pronouns"},
	}
}

// Maximum lengths in characters.
const (
	maxName = 40
	maxHint = 80
)

// MaxInSummary is the maximum number of a realm's fields shown in profile summaries.
const MaxInSummary = 2

// Field is a custom profile field.
type Field struct {
	ID         ID
	Type       Type
	Order      int // lower comes first
	Name, Hint string
	Data       Data
	Summary    bool // shown in profile summaries
	Required   bool // a hint: clients ask users to fill it in, but it may stay empty
	Editable   bool // by the user; administrators can always edit it
	Matching   bool // clients search users by it
}

// Record is a field in wire form.
type Record struct {
	ID       ID     `json:"id"`
	Type     Type   `json:"type" doc:"The type of the field, as in custom_profile_field_types."`
	Order    int    `json:"order"`
	Name     string `json:"name"`
	Hint     string `json:"hint"`
	Data     string `json:"field_data"` // JSON text, or "" for types without data
	Required bool   `json:"required"`
	Editable bool   `json:"editable_by_user"`
	Summary  bool   `json:"display_in_profile_summary,omitempty"`
	Matching bool   `json:"use_for_user_matching,omitempty"`
}

// Record returns f in wire form.
func (f *Field) Record() Record {
	return Record{f.ID, f.Type, f.Order, f.Name, f.Hint, f.Data.String(), f.Required, f.Editable, f.Summary, f.Matching}
}

// Rendered reports whether values of the type are Markdown.
func (t Type) Rendered() bool { return t == ShortText || t == LongText }

// Check validates a field and returns its stored form. had is its current name, or "" for a new field: a name that
// predates the rules may stay. Errors: BadRequest.
func (f Field) Check(had string) (Field, error) {
	if f.Type < ShortText || f.Type > Pronouns {
		return f, errs.Bad("Invalid field type.")
	}
	if p, ok := f.Data.preset(); ok {
		f.Name, f.Hint = p.Name, p.Hint
	}
	f.Name, f.Hint = strings.TrimSpace(f.Name), strings.TrimSpace(f.Hint)
	switch {
	case f.Name == "", f.Name != had && user.FirstInvisible(f.Name) == 0 && !strings.ContainsFunc(f.Name, user.IsVisible):
		return f, errs.Bad("Label cannot be blank.")
	case f.Summary && f.Type == Users:
		return f, errs.Bad("Field type not supported for display in profile summary.")
	case f.Matching && f.Type != ShortText && f.Type != External:
		return f, errs.Bad("Field type not supported for matching users.")
	}
	if err := checkLine("name", f.Name, maxName); err != nil {
		return f, err
	}
	if f.Name != had && user.FirstInvisible(f.Name) > 0 {
		return f, errs.Bad("Invalid character in name.")
	}
	return f, checkLine("hint", f.Hint, maxHint)
}

// checkLine refuses anything but a single line of at most limit characters. Errors: BadRequest.
func checkLine(what, s string, limit int) error {
	if utf8.RuneCountInString(s) > limit {
		return errs.Bad("%s is too long (limit: %d characters)", what, limit)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return errs.Bad("Invalid character in %s.", what)
	}
	return nil
}
