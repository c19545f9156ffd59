package invites

import (
	"context"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// record is an invitation as sent to clients.
type record struct {
	ID       invite.ID `json:"id"`
	Email    string    `json:"email,omitempty"`    // only for email invitations
	Link     *string   `json:"link_url,omitempty"` // only for links; "" if the caller could not create the link
	Inviter  user.ID   `json:"invited_by_user_id"`
	Created  int64     `json:"invited"`
	Expires  *int64    `json:"expiry_date"`
	Role     user.Role `json:"invited_as"`
	Multiuse bool      `json:"is_multiuse"`
	Notify   bool      `json:"notify_referrer_on_join"`
	Uses     int       `json:"uses"` // number of users who joined

	// what users who accept are granted, as far as the caller knows of it
	Channels []channel.ID `json:"stream_ids"`
	Groups   []group.ID   `json:"group_ids"`
	Defaults bool         `json:"include_realm_default_subscriptions"`
}

type listRes struct {
	Invites []record `json:"invites"`
}

// list handles GET /invites. It returns the caller's own invitations, or all of the realm for administrators.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return listRes{}, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return listRes{}, err
	}
	of := a.User
	if u := v.User(a.User); u != nil && u.IsAdmin() {
		of = 0
	}
	all, err := s.store.Pending(ctx, a.Realm, of, s.Clock.Now(), s.cfg.MaxPending)
	res := listRes{[]record{}}
	for _, i := range all {
		if !invite.Sees(v, i, a.User) {
			continue
		}
		r := record{
			ID: i.ID, Email: i.Email, Inviter: i.Inviter, Created: i.Created.Unix(), Role: i.Role,
			Multiuse: i.Kind == invite.ByLink, Notify: i.Notify, Uses: i.Uses, Defaults: i.Defaults,
		}
		r.Channels, r.Groups = invite.Visible(v, i, a.User)
		if !i.Expires.IsZero() {
			at := i.Expires.Unix()
			r.Expires = &at
		}
		if r.Multiuse {
			r.Link = new(string)
			if invite.SeesLink(v, i, a.User) {
				*r.Link = linkURL(a.URL, secret.Key(i))
			}
		}
		res.Invites = append(res.Invites, r)
	}
	return res, err
}

type oneReq struct {
	ID invite.ID `json:"invite_id"`
}

// revocable returns an invitation that the caller has permission to revoke. It may no longer be valid. Errors:
// BadRequest.
func (s *service) revocable(ctx context.Context, a kit.Actor, k invite.Kind, id invite.ID) (*invite.Invite, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	i, err := s.store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if i == nil || i.Realm != a.Realm || i.Kind != k {
		return nil, invite.Missing()
	}
	return i, invite.CheckRevoke(v, i, a.User)
}

// end revokes an invitation.
func (s *service) end(ctx context.Context, a kit.Actor, i *invite.Invite) error {
	if err := s.store.End(ctx, s.Clock.Now(), i.ID); err != nil {
		return err
	}
	if err := s.record(ctx, audit.InvitationRevoked, i); err != nil {
		return err
	}
	return s.publish(ctx, a, i.Inviter)
}

// revoke handles DELETE /invites/{invite_id}. Errors: BadRequest.
func (s *service) revoke(ctx context.Context, a kit.Actor, in oneReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		i, err := s.revocable(ctx, a, invite.ByMail, in.ID)
		switch {
		case err != nil:
			return err
		case !i.Pending(s.Clock.Now()):
			return invite.Missing()
		}
		return s.end(ctx, a, i)
	})
}

// revokeLink handles DELETE /invites/multiuse/{invite_id}. Errors: BadRequest.
func (s *service) revokeLink(ctx context.Context, a kit.Actor, in oneReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		i, err := s.revocable(ctx, a, invite.ByLink, in.ID)
		switch {
		case err != nil:
			return err
		case !i.Ended.IsZero():
			return errs.Bad("Invitation has already been revoked")
		case !i.Pending(s.Clock.Now()):
			return invite.Missing()
		}
		return s.end(ctx, a, i)
	})
}

// resend handles POST /invites/{invite_id}/resend. It does not change the invitation or its expiry time. Errors:
// BadRequest.
func (s *service) resend(ctx context.Context, a kit.Actor, in oneReq) (kit.None, error) {
	if err := s.requireEmail(); err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		now := s.Clock.Now()
		i, err := s.revocable(ctx, a, invite.ByMail, in.ID)
		switch {
		case err != nil:
			return err
		case !i.Pending(now):
			return invite.Missing()
		}
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		today, err := s.invitedToday(ctx, v, a.User, 1)
		if err != nil {
			return err
		}
		key := user.EmailKey(i.Email)
		mailed, err := s.store.SentTo(ctx, a.Realm, []string{key}, now.Add(-day))
		switch {
		case err != nil:
			return err
		case today == quota.Own:
			return errs.Bad(tooManyOwnToday)
		case today == quota.Total:
			return errs.Bad(tooManyToday)
		case mailed[key] >= s.cfg.DailyPerAddress:
			return errs.Bad("This address has been sent too many invitations today. Please try again tomorrow.")
		}
		note := sent{RealmID: a.Realm, Kind: invite.ByMail, UserID: a.User, EmailKey: key, SentAt: now}
		if err := s.store.Note(ctx, []sent{note}); err != nil {
			return err
		}
		if err := s.record(ctx, audit.InvitationResent, i); err != nil {
			return err
		}
		return s.Outbox.Post(ctx, a.Realm, letter(i))
	})
}
