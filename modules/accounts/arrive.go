package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// arrive is somebody's login. Whom an administrator has made joins by the first one: until then nobody was there
// (users-and-groups.md §2, date_joined): at the time of the view, by which it is told who is a full member. Inside Do.
func (s *service) arrive(ctx context.Context, v *directory.View, by user.Actor, old *user.User) error {
	awaited, err := s.store.Arrive(ctx, old.ID)
	now := *old
	if now.Joined = v.Now(); err != nil || !awaited || !now.Joined.After(old.Joined) {
		return err
	}
	return s.save(ctx, by, old, &now)
}
