package invites

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// createAccount creates the account and grants everything included in the invitation, or returns an error and changes
// nothing. It repeats all checks, because the invitation may have been used, revoked or restricted in the meantime.
func (s *service) createAccount(ctx context.Context, v *directory.View, e applicant, u ports.NewUser) (joined, error) {
	r := v.Realm().ID
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (joined, error) {
		v, d, err := s.reevaluate(ctx, r, e)
		if err != nil {
			return joined{}, err
		}
		if err := s.checkAddress(v, d, u.Email); err != nil {
			return joined{}, err
		}
		if d.by != nil { // for links; endForAddresses ends invitations and confirmations for the address
			if err := s.store.Use(ctx, d.by.ID); err != nil {
				return joined{}, err
			}
		}
		u := u
		u.Role = user.Member
		if d.by != nil {
			u.Role, u.NoDefaultChannels = d.by.Role, true // Granted includes them if the invitation does
			u.Channels, u.Groups = invite.Granted(v, d.by)
			if v.User(d.by.Inviter).IsAdmin() { // only administrators can set the Welcome Bot's message
				u.Welcome = d.by.Welcome
			}
		}
		id, err := s.Accounts.Create(ctx, user.Actor{Realm: r, Client: "website"}, u)
		if err != nil {
			return joined{}, err
		}
		if d.by != nil && d.by.Kind == invite.ByLink { // its list shows how many have used it
			if err := s.publish(ctx, user.Actor{Realm: r}, d.by.Inviter); err != nil {
				return joined{}, err
			}
		}
		return joined{Realm: v.Realm(), User: id, Email: u.Email}, s.notifyInviter(ctx, d, id)
	})
}

// checkAddress returns an error if the address is in use or the realm has no free seat. Only people who have proven the
// address are told that it is in use. Errors: BadRequest.
func (s *service) checkAddress(v *directory.View, d admission, email string) error {
	_, made := user.FromAPIEmail(email, v.Realm().MailDomain)
	taken := made || v.UserByEmail(email) != nil
	switch {
	case taken && d.email != "":
		return errs.Bad(
			"There is already an account with the address %s. Log in with it, or ask an administrator if it has been "+
				"deactivated.",
			email,
		)
	case taken:
		return errs.Bad("This address cannot be used to join. If you have an account, log in with it.")
	case s.seatsExceeded(v, 1):
		return errNoSeats()
	}
	return nil
}

// notifyInviter notifies the inviter, or a bot's owner, that a user has joined. If the message is rejected, it only
// logs the error, so that the account is still created.
func (s *service) notifyInviter(ctx context.Context, d admission, id user.ID) error {
	if d.by == nil || !d.by.Notify {
		return nil
	}
	v, err := s.Directory.View(ctx, d.by.Realm)
	if err != nil {
		return err
	}
	inviter, to := v.User(d.by.Inviter), v.User(v.Responsible(d.by.Inviter))
	as, ok := v.SystemActor(user.NotificationBot)
	if inviter == nil || to == nil || to.IsBot() || !ok {
		return nil
	}
	if as.URL, err = s.site(ctx, v.Realm()); err != nil {
		return err
	}
	whose := "your invitation"
	if inviter.IsBot() {
		whose = fmt.Sprintf("an invitation from your bot @_**%s|%d**", inviter.FullName, inviter.ID)
	}
	text := fmt.Sprintf("@_**%s|%d** has accepted %s and joined.", v.User(id).FullName, id, whose)
	_, err = s.Sender.Send(ctx, as, message.Outgoing{To: idset.Of(to.ID), Content: text, Silent: true})
	var refusal *errs.Error
	if errors.As(err, &refusal) && refusal.Code != errs.Unavailable {
		s.Logger.WarnContext(ctx, "cannot notify the inviter of a user who has joined", "error", err)
		return nil
	}
	return err
}
