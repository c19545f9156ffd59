package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// recordFirstLogin sets the join time of a user who was created by an administrator and logs in for the first time,
// with a browser or API key. It returns the changed user, or u if nothing has changed. The join time is the view's
// time, which also determines who is a full member. Call it inside Do.
func (s *service) recordFirstLogin(
	ctx context.Context, v *directory.View, by user.Actor, u *user.User,
) (*user.User, error) {
	awaited, err := s.store.ClearAwaitingLogin(ctx, u.ID)
	if err != nil || !awaited || !v.Now().After(u.Joined) {
		return u, err
	}
	now := *u
	now.Joined = v.Now()
	return &now, s.save(ctx, by, u, &now)
}

// loggedIn calls recordFirstLogin for browser logins. It runs inside Do.
func (s *service) loggedIn(ctx context.Context, m *user.SessionBegun) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	_, err = s.recordFirstLogin(ctx, v, m.By, v.User(m.User))
	return err
}
