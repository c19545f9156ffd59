package invites

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// changed is the event that notifies administrators and the inviter of changes to the list of invitations.
var changed = kit.Event[kit.None]("invites_changed", "")

func (s *service) publish(ctx context.Context, r user.Actor, inviters ...user.ID) error {
	return s.Log.Append(ctx, changed.To(r.Realm, event.Admins().And(inviters...), kit.None{}))
}

// terms holds the parameters of both email invitations and links.
type terms struct {
	Groups   []group.ID          `json:"group_ids" default:"[]"`
	Defaults bool                `json:"include_realm_default_subscriptions" default:"false"`
	Role     user.Role           `json:"invite_as" default:"400"`
	Expires  kit.Nullable[int64] `json:"invite_expires_in_minutes"`
	Welcome  *string             `json:"welcome_message_custom_text" forms:"string | null"`
}

type linkReq struct {
	terms
	Channels []channel.ID `json:"stream_ids" default:"[]"`
}

type linkRes struct {
	Link string `json:"invite_link"`
}

type inviteReq struct {
	terms
	Channels []channel.ID `json:"stream_ids"`
	Emails   string       `json:"invitee_emails"`
	Notify   bool         `json:"notify_referrer_on_join" default:"true"`
}

// draft returns the requested invitation if the inviter has permission to create it. Errors: BadRequest.
func (s *service) draft(
	v *directory.View,
	a kit.Actor,
	k invite.Kind,
	in terms,
	channels []channel.ID,
) (*invite.Invite, error) {
	if err := invite.CheckCreate(v, a.User, k, in.Role); err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	minutes := int64(s.cfg.LinkValidity / time.Minute)
	until := &minutes
	if in.Expires.Given {
		if until = &in.Expires.Value; in.Expires.Null {
			until = nil
		}
	}
	expires, err := invite.Until(now, until)
	if err != nil {
		return nil, err
	}
	if !v.User(a.User).IsAdmin() || in.Welcome != nil && *in.Welcome == "null" { // some clients send null as a string
		in.Welcome = nil
	}
	if in.Welcome != nil {
		if err := realm.CheckWelcome(*in.Welcome); err != nil {
			return nil, err
		}
	}
	cs, gs := idset.Of(channels...), idset.Of(in.Groups...)
	if err := invite.CheckChannels(v, a.User, cs); err != nil {
		return nil, err
	}
	if err := invite.CheckGroups(v, a.User, gs); err != nil {
		return nil, err
	}
	return &invite.Invite{
		Realm: a.Realm, Kind: k, Inviter: a.User, Created: now, Expires: expires,
		Terms: invite.Terms{
			Role:     in.Role,
			Channels: cs,
			Groups:   gs,
			Defaults: in.Defaults,
			Notify:   true,
			Welcome:  in.Welcome,
		},
	}, nil
}

// link handles POST /invites/multiuse. Errors: BadRequest.
func (s *service) link(ctx context.Context, a kit.Actor, in linkReq) (linkRes, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return linkRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (linkRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return linkRes{}, err
		}
		i, err := s.draft(v, a, invite.ByLink, in.terms, in.Channels)
		if err != nil {
			return linkRes{}, err
		}
		if err := s.checkPending(ctx, v, i, 1); err != nil {
			return linkRes{}, err
		}
		i.Nonce = random(nonceBytes)
		if err := s.store.Add(ctx, i); err != nil {
			return linkRes{}, err
		}
		if err := s.record(ctx, audit.InvitationCreated, i); err != nil {
			return linkRes{}, err
		}
		return linkRes{linkURL(a.URL, secret.Key(i))}, s.publish(ctx, a, a.User)
	})
}

// invite handles POST /invites. It sends an invitation to each valid address. If any address is invalid, it returns
// InvitationFailed; sent_invitations reports whether the others have been invited. Errors: BadRequest,
// InvitationFailed.
func (s *service) invite(ctx context.Context, a kit.Actor, in inviteReq) (kit.None, error) {
	if err := s.requireEmail(); err != nil {
		return kit.None{}, err
	}
	addresses, err := invite.Addresses(in.Emails)
	if err != nil {
		return kit.None{}, err
	}
	out, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (outcome, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return outcome{}, err
		}
		i, err := s.draft(v, a, invite.ByMail, in.terms, in.Channels)
		if err != nil {
			return outcome{}, err
		}
		i.Notify = in.Notify
		out, err := s.classify(ctx, v, i, addresses)
		if err != nil || len(out.good) == 0 {
			return out, err
		}
		return out, s.send(ctx, a, i, out.good)
	})
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, out.failure()
}

// record records what has happened to invitations.
func (s *service) record(ctx context.Context, what audit.Action, all ...*invite.Invite) error {
	facts := make([]audit.Fact, len(all))
	for n, i := range all {
		terms := audit.Values{"role": i.Role, "channels": i.Channels, "groups": i.Groups, "link": i.Kind == invite.ByLink}
		if i.Email != "" {
			terms["email"] = i.Email
		}
		facts[n] = audit.Fact{Realm: i.Realm, Action: what, Target: audit.To(audit.Invitation, i.ID), New: terms}
	}
	return s.Audit.Record(ctx, facts...)
}

// requireEmail returns an error if the server does not send email. Errors: BadRequest.
func (s *service) requireEmail() error {
	if s.Outbox.Delivers() {
		return nil
	}
	return errs.Bad("This server does not send email. Create an invitation link instead and share it.")
}

// send stores a copy of an invitation for each address, and queues the emails.
func (s *service) send(ctx context.Context, a kit.Actor, like *invite.Invite, addresses []string) error {
	all := make([]*invite.Invite, len(addresses))
	notes := make([]sent, len(addresses))
	for n, address := range addresses {
		one := *like
		one.Email, one.Nonce = address, random(nonceBytes)
		all[n] = &one
		notes[n] = sent{
			RealmID: a.Realm, Kind: invite.ByMail, UserID: a.User, EmailKey: user.EmailKey(address), SentAt: like.Created,
		}
	}
	if err := s.store.Add(ctx, all...); err != nil {
		return err
	}
	if err := s.record(ctx, audit.InvitationCreated, all...); err != nil {
		return err
	}
	if err := s.store.Note(ctx, notes); err != nil {
		return err
	}
	letters := make([]mail.Letter, len(all))
	for n, i := range all {
		letters[n] = letter(i)
	}
	if err := s.Outbox.Post(ctx, a.Realm, letters...); err != nil {
		return err
	}
	return s.publish(ctx, a, a.User)
}
