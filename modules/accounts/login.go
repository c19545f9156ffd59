package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Login checks e-mail and password; see ports.Passwords. Whether there is such a person takes no less time to find out than
// whether the password is right.
func (s *service) Login(ctx context.Context, r realm.ID, email, password string) (user.ID, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return 0, err
	}
	u, id := v.UserByEmail(email), user.ID(0) // nobody has the id 0, nor a password under it
	if u != nil && !u.IsBot() {
		id = u.ID
	}
	stored, err := s.store.Password(ctx, id)
	if err != nil {
		return 0, err
	}
	ok, err := s.hasher.Matches(ctx, stored, password)
	switch {
	case err != nil:
		return 0, err
	case v.Realm().Deactivated:
		return 0, errs.New(errs.RealmDeactivated, "This organization has been deactivated")
	case !v.Realm().Settings.PasswordAuth:
		return 0, errs.New(errs.PasswordAuthDisabled, "Password authentication is disabled in this organization")
	case !ok:
		return 0, errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
	case !u.Active:
		return 0, errs.New(errs.UserDeactivated, "Account is deactivated")
	}
	return u.ID, nil
}

type fetchKeyReq struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

type fetchKeyRes struct {
	Key    string  `json:"api_key"`
	Email  string  `json:"email"` // the real one
	UserID user.ID `json:"user_id"`
}

func (s *service) fetchKey(ctx context.Context, a kit.Actor, in fetchKeyReq) (fetchKeyRes, error) {
	if _, err := user.CheckEmail(in.Username); err != nil {
		return fetchKeyRes{}, err
	}
	id, err := s.Login(ctx, a.Realm, in.Username, in.Password)
	if err != nil {
		return fetchKeyRes{}, err
	}
	key, err := s.IssueKey(ctx, a, id)
	if err != nil {
		return fetchKeyRes{}, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return fetchKeyRes{}, err
	}
	return fetchKeyRes{key, v.User(id).DeliveryEmail, id}, nil
}

// caller gives the view and the caller's record. In a unit of work it looks again: who has been deactivated since the request
// was let in changes nothing any more. Errors: Unauthorized.
func (s *service) caller(ctx context.Context, a kit.Actor) (*directory.View, *user.User, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	u := v.User(a.User)
	if u == nil || !u.Active {
		return nil, nil, errs.New(errs.Unauthorized, "Account is deactivated")
	}
	return v, u, nil
}

func noSuchUser() error { return errs.Bad("No such user") }
