package demo

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type fetchReq struct {
	Username string `json:"username"`
}

type fetchRes struct {
	Key    string  `json:"api_key"`
	Email  string  `json:"email"`
	UserID user.ID `json:"user_id"`
}

// fetchKey errors: BadRequest, AuthenticationFailed, UserDeactivated.
func (s *service) fetchKey(ctx context.Context, a kit.Actor, in fetchReq) (fetchRes, error) {
	if err := nearbyURL(a.URL); err != nil {
		return fetchRes{}, err
	}
	u, err := s.person(ctx, a.Realm, in.Username)
	if err != nil {
		return fetchRes{}, err
	}
	key, err := s.Accounts.IssueKey(ctx, user.Actor{Realm: a.Realm, System: true, Client: a.Client}, u.ID)
	return fetchRes{key, u.DeliveryEmail, u.ID}, err
}

// person finds who may log in under an e-mail address. Errors: AuthenticationFailed, UserDeactivated, RealmDeactivated.
func (s *service) person(ctx context.Context, r realm.ID, email string) (*user.User, error) {
	v, err := s.Directory.Verified(ctx, r)
	if err != nil {
		return nil, err
	}
	u := v.UserByEmail(email)
	switch {
	case u == nil || u.IsBot():
		return nil, errs.New(errs.AuthenticationFailed, "Nobody has this e-mail address")
	case v.Realm() == nil || v.Realm().Deactivated:
		return nil, errs.New(errs.RealmDeactivated, "This organization has been deactivated")
	case !u.Active:
		return nil, errs.New(errs.UserDeactivated, "Account is deactivated")
	}
	return u, nil
}

type listed struct {
	Email string `json:"email"`
	Realm string `json:"realm_url"`
}

type listRes struct {
	Admins []listed `json:"direct_admins"`
	Users  []listed `json:"direct_users"`
}

func (s *service) listUsers(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	res := listRes{[]listed{}, []listed{}}
	if err := nearbyURL(a.URL); err != nil {
		return res, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return res, err
	}
	for u := range v.Users() {
		if !u.Active || u.IsBot() || u.System {
			continue
		}
		to := &res.Users
		if u.IsAdmin() {
			to = &res.Admins
		}
		if len(*to) < s.cfg.MaxListed {
			*to = append(*to, listed{u.DeliveryEmail, a.URL})
		}
	}
	return res, nil
}
