package invites

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// seatsExceeded reports whether more additional users would exceed the realm's seats.
func (s *service) seatsExceeded(v *directory.View, more int) bool {
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

// errNoSeats returns the error for a full organization.
func errNoSeats() error { return errs.Bad("This organization has no room for more members.") }

// checkSeat returns an error if there is no seat for a new user, however the account is created.
func (s *service) checkSeat(ctx context.Context, m *user.Joined) error {
	return s.checkUser(ctx, m.Realm, m.By, m.User.ID)
}

// reactivated returns an error if there is no seat for a reactivated user.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	return s.checkUser(ctx, m.Realm, m.By, m.User)
}

// checkUser returns an error if the user, who is already in the view, exceeds the realm's seats. Bots need no seat, and
// users created by the server itself are exempt: the first owner, accounts created on the command line, and demo users.
// Errors: BadRequest.
func (s *service) checkUser(ctx context.Context, r ids.Realm, by user.Actor, id user.ID) error {
	if by.System || s.cfg.Seats == 0 {
		return nil
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	if u := v.User(id); u != nil && !u.IsBot() && s.seatsExceeded(v, 0) {
		return errNoSeats()
	}
	return nil
}
