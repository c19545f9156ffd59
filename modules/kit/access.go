package kit

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Access decides who may call an endpoint. Handlers check access to individual objects. The zero value is invalid: a
// server with such an endpoint does not start.
type Access struct {
	name  string
	open  bool // without login
	spect bool // without login if the realm admits spectators
	check func(v *directory.View, a Actor) error

	setting string // of Holders
}

// Name returns the name of the rule; "" for the zero value.
func (r Access) Name() string { return r.name }

// Open reports whether the endpoint can be called without login.
func (r Access) Open() bool { return r.open }

// Spectating reports whether the endpoint can be called without login if the realm admits spectators. The actor then
// has no user.
func (r Access) Spectating() bool { return r.spect }

// Setting returns the setting whose holders the rule admits; "" for other rules.
func (r Access) Setting() string { return r.setting }

// Check returns an error if the rule does not admit a. Errors: BadRequest, UnauthorizedPrincipal, PermissionDenied.
func (r Access) Check(v *directory.View, a Actor) error {
	if r.check == nil || a.System {
		return nil
	}
	return r.check(v, a)
}

// Users admits all logged-in users, including bots. Spectators also admits clients without login if the realm allows
// public access. Members and the rules below it exclude guests.
var (
	Anyone       = Access{name: "anyone", open: true}
	Spectators   = Access{name: "users and spectators", spect: true}
	Users        = Access{name: "users"}
	Humans       = Access{name: "humans", check: humans}
	Bots         = Access{name: "bots", check: bots}
	Members      = Access{name: "members", check: members}
	HumanMembers = Access{name: "human members", check: humanMembers}
	Moderators   = Access{name: "moderators", check: atLeast(user.Moderator)}
	Admins       = Access{name: "admins", check: atLeast(user.Admin)}
	Owners       = Access{name: "owners", check: atLeast(user.Owner)}
)

// Holders admits users who hold a group-valued setting of the realm, such as can_invite_users_group or one in
// Parts.Settings. A server that has no such setting does not start.
func Holders(setting string) Access {
	return Access{name: "holders of " + setting, setting: setting, check: func(v *directory.View, a Actor) error {
		if !permission.Holds(v, a.User, setting) {
			return errs.Bad("Insufficient permission")
		}
		return nil
	}}
}

func humans(_ *directory.View, a Actor) error {
	if a.Bot != user.Human {
		return errs.Bad("This endpoint does not accept bot requests.")
	}
	return nil
}

func bots(_ *directory.View, a Actor) error {
	if a.Bot == user.Human {
		return errs.New(errs.PermissionDenied, "Only bots may do this.")
	}
	return nil
}

func humanMembers(v *directory.View, a Actor) error {
	if err := Members.check(v, a); err != nil {
		return err
	}
	return humans(v, a)
}

func members(_ *directory.View, a Actor) error {
	if a.User == 0 || a.Role > user.Member {
		return errs.Bad("Not allowed for guest users")
	}
	return nil
}

func atLeast(r user.Role) func(*directory.View, Actor) error {
	return func(_ *directory.View, a Actor) error {
		if a.User == 0 || a.Role > r {
			return permission.RoleRequired(r)
		}
		return nil
	}
}

// AdminView returns the realm's view if the caller is still an administrator. Within a unit of work, call it even for
// endpoints that only admit administrators: the caller's role may have changed after the request was admitted. Errors:
// UnauthorizedPrincipal.
func AdminView(ctx context.Context, d ports.Directory, a Actor) (*directory.View, error) {
	v, err := d.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	return v, permission.CheckRole(v, a, user.Admin)
}

// Caller returns the realm's view and the current record of the caller. Errors: Unauthorized; see permission.Caller.
func Caller(ctx context.Context, d ports.Directory, a Actor) (*directory.View, *user.User, error) {
	v, err := d.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	u, err := permission.Caller(v, a)
	return v, u, err
}
