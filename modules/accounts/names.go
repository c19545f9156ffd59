package accounts

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// newName checks a new name for u, who may keep one that is older than the rules. Errors: BadRequest.
func newName(v *directory.View, u *user.User, name string) (string, error) {
	if strings.TrimSpace(name) == u.FullName {
		return u.FullName, nil
	}
	name, err := user.CheckName(name)
	if err != nil {
		return "", err
	}
	return name, freeName(v, u, name)
}

// freeName refuses a name that may not be there twice: of an active bot, and of anybody where the realm wants names to be
// unique (users-and-groups.md §2). Errors: BadRequest.
func freeName(v *directory.View, u *user.User, name string) error {
	unique := v.Realm().Settings.RequireUniqueNames
	if !unique && !u.IsBot() {
		return nil
	}
	key := looks(name)
	for other := range v.Users() {
		if other.ID != u.ID && other.Active && (unique || other.IsBot()) && looks(other.FullName) == key {
			return errs.Bad("Name is already in use.")
		}
	}
	return nil
}

// looks gives what names have in common that people may take for the same: the letters in either case, in any of the forms that
// Unicode has for them, without what is not seen, and one space for several.
func looks(name string) string {
	key := user.NameKey(name)
	plain := !strings.Contains(key, "  ")
	for i := range len(key) {
		plain = plain && key[i] < unicode.MaxASCII
	}
	if plain {
		return key
	}
	seen := strings.Map(func(r rune) rune {
		if user.Unseen(r) {
			return -1
		}
		return r
	}, name)
	return norm.NFKC.String(cases.Fold().String(strings.Join(strings.Fields(norm.NFKC.String(seen)), " ")))
}
