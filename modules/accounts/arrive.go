package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// recordArrival records that a user gets a key or logs in with a browser, and returns u as changed. A user created by
// an administrator joins with the first such event, since no one used the account before. The join time is that of the
// view, which also determines who is a full member. Call it inside Do.
func (s *service) recordArrival(
	ctx context.Context, v *directory.View, by user.Actor, u *user.User,
) (*user.User, error) {
	awaited, err := s.store.Arrive(ctx, u.ID)
	if err != nil || !awaited || !v.Now().After(u.Joined) {
		return u, err
	}
	now := *u
	now.Joined = v.Now()
	return &now, s.save(ctx, by, u, &now)
}

// loggedIn records the first login of an account that an administrator created, when it happens in a browser. It runs
// inside Do.
func (s *service) loggedIn(ctx context.Context, m *user.SessionBegun) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	_, err = s.recordArrival(ctx, v, m.By, v.User(m.User))
	return err
}
