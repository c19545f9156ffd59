package invites

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
)

// checkPending checks that the inviter can have more pending invitations. Errors: BadRequest.
func (s *service) checkPending(ctx context.Context, v *directory.View, i *invite.Invite, more int) error {
	now, err := s.store.CountPending(ctx, i.Realm, accountsOf(v, i.Inviter), i.Created)
	if err != nil {
		return err
	}
	l := quota.Limit{What: "pending invitations", Total: s.cfg.MaxPending, Author: s.cfg.MaxPendingPerInviter}
	switch part, most := l.Exceeded(roleOf(v, i.Inviter), now, more); part {
	case quota.Own:
		return errs.Bad("You have too many invitations that have not been used (limit: %d). Revoke some of them first.", most)
	case quota.Total:
		return errs.Bad(
			"There are too many invitations that have not been used (limit: %d). Revoke some of them first.", most,
		)
	}
	return nil
}

// invitedToday returns which daily limit the inviter would exceed with more invitation emails.
func (s *service) invitedToday(ctx context.Context, v *directory.View, by user.ID, more int) (quota.Excess, error) {
	now, err := s.store.Sent(ctx, v.Realm().ID, invite.ByMail, accountsOf(v, by), s.Clock.Now().Add(-day))
	l := quota.Limit{What: "invitations a day", Total: s.cfg.DailyInvitations, Author: s.cfg.DailyPerInviter}
	part, _ := l.Exceeded(roleOf(v, by), now, more)
	return part, err
}

const (
	tooManyToday    = "Too many people have been invited today. Please try again tomorrow."
	tooManyOwnToday = "You have invited too many people today. Please try again tomorrow."
)

// accountsOf returns the accounts that share u's part of a limit: the user and the user's bots, or for a bot its owner
// and all of the owner's bots.
func accountsOf(v *directory.View, u user.ID) []user.ID {
	if u == 0 { // sign-ups without an inviter have no share
		return []user.ID{0}
	}
	return v.Accounts(u)
}

// roleOf returns a user's role, which decides the user's part of a limit.
func roleOf(v *directory.View, u user.ID) user.Role { return permission.Role(v, user.Actor{User: u}) }
