package kit

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Access is who may enter an endpoint. Who may touch this or that object is the use case's rule. The zero value is no
// rule, and a route without a rule does not start.
type Access struct {
	name  string
	open  bool // without login
	spect bool // without login where the realm lets spectators in
	check func(v *directory.View, a Actor) error
}

// Name is how the rule is printed; "" is no rule.
func (r Access) Name() string { return r.name }

// Open tells whether the endpoint answers without login.
func (r Access) Open() bool { return r.open }

// Spectating tells whether the endpoint answers without login where the realm lets spectators in: its actor is then no
// user.
func (r Access) Spectating() bool { return r.spect }

// Check refuses actors that the rule does not let in. Errors: BadRequest, UnauthorizedPrincipal.
func (r Access) Check(v *directory.View, a Actor) error {
	if r.check == nil || a.System {
		return nil
	}
	return r.check(v, a)
}

// The rules. Spectators are all users, and who reads what everybody on the web may read. Users are all who are logged
// in, bots included; the others never include guests but Humans and Bots.
var (
	Anyone     = Access{name: "anyone", open: true}
	Spectators = Access{name: "users and spectators", spect: true}
	Users      = Access{name: "users"}
	Humans     = Access{name: "humans", check: humans}
	Bots       = Access{name: "bots", check: bots}
	Members    = Access{name: "members", check: atLeast(user.Member, errs.BadRequest, "Not allowed for guest users")}
	Persons    = Access{name: "members who are no bots", check: persons}
	Moderators = Access{
		name:  "moderators",
		check: atLeast(user.Moderator, errs.UnauthorizedPrincipal, "Must be an organization moderator"),
	}
	Admins = Access{
		name:  "admins",
		check: atLeast(user.Admin, errs.UnauthorizedPrincipal, "Must be an organization administrator"),
	}
	Owners = Access{
		name:  "owners",
		check: atLeast(user.Owner, errs.UnauthorizedPrincipal, "Must be an organization owner"),
	}
)

// Holders lets in whoever holds a group-valued realm setting, such as can_invite_users_group.
func Holders(setting string) Access {
	return Access{name: "holders of " + setting, check: func(v *directory.View, a Actor) error {
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

func persons(v *directory.View, a Actor) error {
	if err := Members.check(v, a); err != nil {
		return err
	}
	return humans(v, a)
}

func atLeast(r user.Role, code errs.Code, msg string) func(*directory.View, Actor) error {
	return func(_ *directory.View, a Actor) error {
		if a.User == 0 || a.Role > r {
			return errs.New(code, "%s", msg)
		}
		return nil
	}
}
