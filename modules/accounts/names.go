package accounts

import (
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// checkNewName checks and normalizes a new name for u. The current name is valid even if it violates the rules. Errors:
// BadRequest.
func checkNewName(v *directory.View, u *user.User, name string) (string, error) {
	if strings.TrimSpace(name) == u.FullName {
		return u.FullName, nil
	}
	name, err := user.CheckName(name)
	if err != nil {
		return "", err
	}
	return name, checkUnusedName(v, u, name)
}

// checkUnusedName checks that a name is unique among active bots if u is a bot, and among all users if the realm
// requires unique names. Errors: BadRequest.
func checkUnusedName(v *directory.View, u *user.User, name string) error {
	unique := v.Realm().Settings.RequireUniqueNames
	if !unique && !u.IsBot() {
		return nil
	}
	key := v.NameKey(name)
	for other := range v.Users() {
		if other.ID != u.ID && other.Active && (unique || other.IsBot()) && v.NameKey(other.FullName) == key {
			return errs.Bad("Name is already in use.")
		}
	}
	return nil
}
