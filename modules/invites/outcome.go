package invites

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
)

// outcome is the result of checking the addresses in a request. If one of the last three fields is set, good is empty.
type outcome struct {
	good   []string
	bad    []refused
	seats  bool         // there are not enough seats
	today  quota.Excess // there were too many invitations today
	tooNew bool         // the inviter's account is too new
}

// refused consists of an address, the reason why it was not invited, and whether it belongs to a deactivated user.
type refused [3]any

// classify determines which addresses can be invited. Errors: BadRequest if the realm has too many pending invitations.
func (s *service) classify(
	ctx context.Context, v *directory.View, i *invite.Invite, addresses []string,
) (outcome, error) {
	var out outcome
	if !invite.OldEnough(v, i.Inviter, s.cfg.MinAccountAge) {
		return outcome{tooNew: true}, nil
	}
	since := i.Created.Add(-day)
	var keys []string
	for _, address := range addresses {
		if _, err := user.CheckEmail(address); err == nil { // invalid addresses need no lookup
			keys = append(keys, user.EmailKey(address))
		}
	}
	mailed, err := s.store.SentTo(ctx, i.Realm, keys, since)
	if err != nil {
		return outcome{}, err
	}
	for _, address := range addresses {
		why, deactivated := s.refusal(v, address, mailed[user.EmailKey(address)])
		if why != "" {
			out.bad = append(out.bad, refused{address, why, deactivated})
			continue
		}
		out.good = append(out.good, address)
	}
	if len(out.good) == 0 {
		return out, nil
	}
	today, err := s.invitedToday(ctx, v, i.Inviter, len(out.good))
	switch {
	case err != nil:
		return outcome{}, err
	case today != quota.None:
		out.good, out.today = nil, today
	case s.seatsExceeded(v, len(out.good)):
		out.good, out.seats = nil, true
	default:
		err = s.checkPending(ctx, v, i, len(out.good))
	}
	return out, err
}

// refusal returns the reason why an address cannot be invited, and whether it belongs to a deactivated user. The reason
// is "" if the address can be invited. mailed is the number of emails that the address has received today.
func (s *service) refusal(v *directory.View, address string, mailed int) (why string, deactivated bool) {
	var refusal *errs.Error
	kept, err := user.CheckEmail(address)
	if err == nil && kept != address {
		err = errs.Bad("Enter a valid email address.")
	}
	if err == nil {
		err = v.Realm().CheckEmail(address)
	}
	_, made := user.FromAPIEmail(address, v.Realm().MailDomain)
	u := v.UserByEmail(address)
	switch {
	case errors.As(err, &refusal):
		return refusal.Msg, false
	case u != nil && !u.Active:
		return "Account has been deactivated.", true
	case u != nil || made:
		return "Already has an account.", false
	case mailed >= s.cfg.DailyPerAddress:
		return "Has been sent too many invitations today.", false
	}
	return "", false
}

// failure returns an error if any address was not invited. Errors: InvitationFailed.
func (o outcome) failure() error {
	sentAny := len(o.good) > 0
	text := "None of these people could be invited."
	switch {
	case o.tooNew:
		text = "Your account is too new to invite people. Ask an administrator or a longer-standing member."
	case o.today == quota.Own:
		text = tooManyOwnToday
	case o.today == quota.Total:
		text = tooManyToday
	case o.seats:
		text = "This organization has no room for more members."
	case len(o.bad) == 0:
		return nil
	case sentAny:
		text = "Some of these people could not be invited. The others have been."
	}
	all := o.bad
	if all == nil {
		all = []refused{}
	}
	return errs.New(errs.InvitationFailed, "%s", text).With("errors", all).With("sent_invitations", sentAny).
		With("license_limit_reached", o.seats).With("daily_limit_reached", o.today != quota.None)
}

// canInvite reports whether the inviter would still have permission to create the invitation. It is true for
// confirmations, which have no inviter.
func canInvite(v *directory.View, i *invite.Invite) bool {
	return i.Inviter == 0 || invite.CheckCreate(v, i.Inviter, i.Kind, i.Role) == nil
}
