package invites

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// full tells whether a realm has no room for so many more people.
func (s *service) full(v *directory.View, more int) bool {
	if s.cfg.Seats == 0 {
		return false
	}
	people := 0
	for _, id := range v.Active() {
		if !v.User(id).IsBot() {
			people++
		}
	}
	return people+more > s.cfg.Seats
}

// noRoom is the refusal of who would be one too many.
func noRoom() error { return errs.Bad("There is no room for more people in this organization.") }

// arrived refuses who has been made, in whatever way, where there is no room for them.
func (s *service) arrived(ctx context.Context, m *user.Joined) error {
	return s.seat(ctx, m.Realm, m.By, m.User.ID)
}

// returned refuses who comes back where there is no room for them.
func (s *service) returned(ctx context.Context, m *user.Reactivated) error {
	return s.seat(ctx, m.Realm, m.By, m.User)
}

// seat refuses somebody who is there by now and has no room. Bots need none, and whom the server makes by itself is let
// in: the first owner, people made on the command line, and those of the demo. Errors: BadRequest.
func (s *service) seat(ctx context.Context, r ids.Realm, by user.Actor, id user.ID) error {
	if by.System || s.cfg.Seats == 0 {
		return nil
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	if u := v.User(id); u != nil && !u.IsBot() && s.full(v, 0) {
		return noRoom()
	}
	return nil
}
