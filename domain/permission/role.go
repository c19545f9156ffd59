package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Role returns the actor's role in v, which may have changed since the request was admitted. The server itself is an
// owner. Actors whose account is missing or deactivated have the lowest role.
func Role(v *directory.View, a user.Actor) user.Role {
	switch u := v.User(a.User); {
	case a.System:
		return user.Owner
	case u == nil || !u.Active:
		return user.Guest
	default:
		return u.Role
	}
}

// CheckRole checks that the actor has at least the given role in v: moderator, administrator or owner. Errors:
// UnauthorizedPrincipal.
func CheckRole(v *directory.View, a user.Actor, minimum user.Role) error {
	if Role(v, a) > minimum {
		return RoleRequired(minimum)
	}
	return nil
}

// RoleRequired returns the error for actors without the given role: moderator, administrator or owner.
func RoleRequired(minimum user.Role) error {
	switch minimum {
	case user.Moderator:
		return errs.New(errs.UnauthorizedPrincipal, "Must be an organization moderator")
	case user.Admin:
		return errs.New(errs.UnauthorizedPrincipal, "Must be an organization administrator")
	default:
		return errs.New(errs.UnauthorizedPrincipal, "Must be an organization owner")
	}
}
