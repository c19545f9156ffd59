package invites

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about invitations.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("invite list", s.commandList, "List the pending invitations, without their links."),
		kit.Confirm(kit.NewCommand("invite revoke", s.commandRevoke, "Revoke an invitation."), s.wouldRevoke),
	}
}

// listedInvite is an invitation in the output of invite list.
type listedInvite struct {
	ID      invite.ID  `json:"invite_id"`
	Kind    string     `json:"kind"` // email or link
	Email   string     `json:"email"`
	Inviter string     `json:"invited_by"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires"`
	Uses    int        `json:"uses"`
}

func (s *service) commandList(ctx context.Context, a kit.Actor, _ kit.None) ([]listedInvite, error) {
	v, err := s.Directory.Verified(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	all, err := s.store.Pending(ctx, a.Realm, 0, s.Clock.Now(), s.cfg.MaxPending)
	out := []listedInvite{}
	for _, i := range all {
		x := listedInvite{ID: i.ID, Kind: "email", Email: i.Email, Created: i.Created.UTC(), Uses: i.Uses}
		if i.Kind == invite.ByLink {
			x.Kind = "link"
		}
		if u := v.User(i.Inviter); u != nil {
			x.Inviter = u.DeliveryEmail
		}
		if at := i.Expires.UTC(); !i.Expires.IsZero() {
			x.Expires = &at
		}
		out = append(out, x)
	}
	return out, err
}

type revokeFlags struct {
	ID invite.ID `arg:"" help:"ID of the invitation: see stoa invite list."`
}

// pending returns a pending invitation of the organization. Errors: one with Gone.
func (s *service) pending(ctx context.Context, a kit.Actor, id invite.ID) (*invite.Invite, error) {
	i, err := s.store.Get(ctx, id)
	if err == nil && (i == nil || i.Realm != a.Realm || !i.Pending(s.Clock.Now())) {
		err = errs.Absent("there is no pending invitation %d; see stoa invite list", id)
	}
	return i, err
}

func (s *service) wouldRevoke(ctx context.Context, a kit.Actor, in revokeFlags) (kit.Effect, error) {
	_, err := s.pending(ctx, a, in.ID)
	return kit.Effect{
		Text: fmt.Sprintf("revoke the invitation %d", in.ID), Counts: map[string]int{"invitations": 1},
	}, err
}

// revoked is the output of invite revoke.
type revoked struct {
	ID invite.ID `json:"invite_id"`
}

func (r revoked) String() string { return fmt.Sprintf("revoked the invitation %d", r.ID) }

func (s *service) commandRevoke(ctx context.Context, a kit.Actor, in revokeFlags) (revoked, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (revoked, error) {
		if _, err := s.Directory.View(ctx, a.Realm); err != nil { // serializes changes in the realm
			return revoked{}, err
		}
		i, err := s.pending(ctx, a, in.ID)
		if err != nil {
			return revoked{}, err
		}
		return revoked(in), s.end(ctx, a, i)
	})
}
