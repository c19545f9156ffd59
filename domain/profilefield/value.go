package profilefield

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Maximum lengths of values in characters, and maximum number of users in a value.
const (
	maxShort = 50
	maxLong  = 500
	maxLink  = 2000
	maxUsers = 500
)

// Value is the value of a field.
type Value struct {
	Text     string `json:"value"`                    // for users, a list of IDs as JSON
	Rendered string `json:"rendered_value,omitempty"` // HTML, for Markdown types
}

// Profile holds the values of a user's fields. Empty fields are absent.
type Profile map[ID]Value

// String returns the profile in wire form, as JSON.
func (p Profile) String() string { return encodeJSON(p) }

// ReadProfile parses a profile written by String.
func ReadProfile(text string) (p Profile, err error) {
	err = json.Unmarshal([]byte(text), &p)
	return p, err
}

// Given is a requested value of a field.
type Given struct {
	ID    ID              `json:"id"`
	Value json.RawMessage `json:"value"` // null, "" and [] clear the field
}

// Read validates a value and returns its stored form, "" if it is empty. sees returns a user, or nil if the caller
// cannot see the user. Errors: BadRequest.
func (f *Field) Read(given json.RawMessage, sees func(user.ID) *user.User) (string, error) {
	given = bytes.TrimSpace(given)
	switch {
	case len(given) == 0:
		return "", errs.Bad("value key is missing from data")
	case string(given) == "null":
		return "", nil
	case f.Type == Users:
		return f.readUsers(given, sees)
	}
	var s string
	if err := json.Unmarshal(given, &s); err != nil {
		return "", errs.Bad("%s is not a string", f.Name)
	}
	if strings.TrimSpace(s) == "" {
		return "", nil
	}
	return s, f.checkText(s)
}

func (f *Field) checkText(s string) error {
	limit := maxShort
	switch f.Type {
	case LongText:
		limit = maxLong
	case Link:
		limit = maxLink
	case Select:
		if _, ok := f.Data.Choices[s]; !ok {
			return errs.Bad("'%s' is not a valid choice for '%s'.", s, f.Name)
		}
		return nil
	case Date:
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return errs.Bad("%s is not a date", f.Name)
		}
		return nil
	}
	if utf8.RuneCountInString(s) > limit {
		return errs.Bad("%s is too long (limit: %d characters)", f.Name, limit)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && (f.Type != LongText || r != '\n' && r != '\r' && r != '\t')
	}) {
		return errs.Bad("Invalid character in %s.", f.Name)
	}
	if f.Type == Link && !isLink(s) {
		return errs.Bad("%s is not a URL", f.Name)
	}
	return nil
}

// readUsers returns a list of distinct users as JSON. Users whom the caller cannot see are treated as nonexistent.
func (f *Field) readUsers(given json.RawMessage, sees func(user.ID) *user.User) (string, error) {
	if string(given) == `""` {
		return "", nil
	}
	var ids []user.ID
	if err := json.Unmarshal(given, &ids); err != nil {
		return "", errs.Bad("%s is not a list of user IDs", f.Name)
	}
	if len(ids) > maxUsers {
		return "", errs.Bad("%s has too many users (limit: %d)", f.Name, maxUsers)
	}
	once, seen := []user.ID{}, map[user.ID]bool{}
	for _, id := range ids {
		u := sees(id)
		switch {
		case u == nil || u.System:
			return "", errs.Bad("Invalid user ID: %d", id)
		case !u.Active:
			return "", errs.Bad("User with ID %d is deactivated", id)
		case u.IsBot():
			return "", errs.Bad("User with ID %d is a bot", id)
		case !seen[id]:
			seen[id] = true
			once = append(once, id)
		}
	}
	if len(once) == 0 {
		return "", nil
	}
	text, err := json.Marshal(once)
	return string(text), err
}
