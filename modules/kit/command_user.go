package kit

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// UserFlag is the flag of commands about a user, which embed it.
type UserFlag struct {
	Email string `required:"" placeholder:"ADDRESS" help:"Email address of the user."`
}

// Find returns the selected user and the view of the organization. Errors: one with Gone.
func (o UserFlag) Find(ctx context.Context, d ports.Directory, r realm.ID) (*directory.View, *user.User, error) {
	return findUser(ctx, d, r, o.Email)
}

// Among is the flag of commands about one user or all, which embed it.
type Among struct {
	Email string `placeholder:"ADDRESS" help:"Only those of the user with this email address."`
}

// Find returns the selected user, or nil for all, and the view of the organization. Errors: one with Gone.
func (o Among) Find(ctx context.Context, d ports.Directory, r realm.ID) (*directory.View, *user.User, error) {
	if o.Email == "" {
		v, err := d.Verified(ctx, r)
		return v, nil, err
	}
	return findUser(ctx, d, r, o.Email)
}

func findUser(ctx context.Context, d ports.Directory, r realm.ID, email string) (*directory.View, *user.User, error) {
	v, err := d.Verified(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if u := v.UserByEmail(email); u != nil {
		return v, u, nil
	}
	var all []string
	for u := range v.Users() {
		all = append(all, u.DeliveryEmail)
	}
	return nil, nil, errs.Absent("--email: no user has the address %q%s", email,
		spelling.Hint(email, all, "stoa user list"))
}
