package invites

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// applicant is a person who wants to join.
type applicant struct {
	Key      string   // the key of an invitation, link or confirmation; "": none
	Realm    realm.ID // used only without a key
	Email    string
	Name     string
	Password string
	From     string // the client's network address
	Language string // the browser's language if it has translations; "": unknown
}

// admission describes how a person can join.
type admission struct {
	// at is the invitation, link or confirmation that the key belongs to; nil: no key.
	at *invite.Invite
	// by is the invitation that determines role and access: at, or for a confirmation the link that was used. It is nil
	// for people who are not invited.
	by *invite.Invite

	email   string // the proven address; "": none
	confirm bool   // an address must be confirmed by email first
}

// resolve returns how the holder of a key, or a person without one, can join. Errors: NotFound, BadRequest.
func (s *service) resolve(ctx context.Context, r realm.ID, key string) (*directory.View, admission, error) {
	var d admission
	var err error
	if key != "" {
		if d.at, err = s.find(ctx, key); err != nil {
			return nil, admission{}, err
		}
		r = d.at.Realm
	}
	v, err := s.Directory.View(ctx, r)
	if err == nil {
		d, err = s.evaluate(ctx, v, d.at)
	}
	return v, d, err
}

// evaluate returns how a person can join with an invitation, link or confirmation; at is nil without one. Errors:
// NotFound, BadRequest.
func (s *service) evaluate(ctx context.Context, v *directory.View, at *invite.Invite) (admission, error) {
	d := admission{at: at, by: at}
	now, r := s.Clock.Now(), v.Realm()
	if at != nil && at.Kind == invite.Confirmation {
		d.by = nil
		if at.Link != 0 {
			link, err := s.store.Get(ctx, at.Link)
			if err != nil {
				return admission{}, err
			}
			if link == nil || !link.Pending(now) {
				return admission{}, invalidInvite()
			}
			d.by = link
		}
	}
	switch {
	case r == nil || r.Deactivated, at != nil && !at.Pending(now), d.by != nil && !canInvite(v, d.by):
		return admission{}, invalidInvite()
	case !r.Settings.PasswordAuth: // the method that it uses creates accounts
		return admission{}, errs.Bad("This organization uses no passwords. Log in by the method that it uses.")
	case d.by == nil && r.Settings.InviteRequired:
		return admission{}, errs.Bad("You need an invitation to join this organization.")
	case d.by != nil && d.by.Kind == invite.ByLink && s.cfg.MaxLinkUses > 0 && d.by.Uses >= s.cfg.MaxLinkUses:
		return admission{}, invalidInvite()
	}
	if at != nil {
		d.email = at.Email
	}
	if d.email == "" {
		d.confirm = s.Outbox.Delivers()
		if !d.confirm && r.Settings.EmailsRestrictedToDomains {
			return admission{}, errs.Bad(
				"This organization restricts who can join by email address, and this server can't verify addresses. Ask an " +
					"administrator for an account.",
			)
		}
	}
	return d, nil
}

// joined is the result of join: a new account, or a confirmation email.
type joined struct {
	Realm   *realm.Realm
	User    user.ID // 0: no account was created
	Email   string
	Confirm bool // a confirmation email was sent
}

// join creates an account, or sends a confirmation email if one is required. Errors: NotFound for an invalid key,
// BadRequest, RateLimit.
func (s *service) join(ctx context.Context, e applicant) (joined, error) {
	v, d, err := s.resolve(ctx, e.Realm, e.Key)
	if err != nil {
		return joined{}, err
	}
	if d.email != "" && e.Email != "" && user.EmailKey(e.Email) != user.EmailKey(d.email) {
		return joined{}, errs.Bad("This invitation was sent to a different address.")
	}
	email := d.email
	if d.email == "" {
		if email, err = user.CheckEmail(e.Email); err != nil {
			return joined{}, err
		}
		if err := v.Realm().CheckEmail(email); err != nil {
			return joined{}, err
		}
		if d.confirm {
			return s.confirm(ctx, v, d, e, email)
		}
	}
	name, err := user.CheckName(e.Name)
	if err != nil {
		return joined{}, err
	}
	organization := v.Realm().Settings.Name
	if err := s.Passwords.Check(e.Password, email, name, organization); err != nil {
		return joined{}, err
	}
	if err := s.precheck(ctx, v, d, e, email); err != nil {
		return joined{}, err
	}
	hash, err := s.Passwords.Hash(ctx, e.Password, email, name, organization)
	if err != nil {
		return joined{}, err
	}
	return s.createAccount(ctx, v, e,
		ports.NewUser{Email: email, FullName: name, PasswordHash: hash, Language: e.Language})
}

// precheck repeats all checks before the expensive hashing of the password, and counts the attempt unless the person
// has an email invitation. The attempt is counted whether or not the address is in use, and before the caller learns
// that: otherwise a link could be used to test any number of addresses. Errors: those of resolve and checkAddress;
// RateLimit.
func (s *service) precheck(ctx context.Context, v *directory.View, d admission, e applicant, email string) error {
	var source string
	if d.email == "" {
		var err error
		if source, err = s.checkSource(ctx, v, d, e, email); err != nil {
			return err
		}
	}
	var refusal error
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		v, d, err := s.reevaluate(ctx, v.Realm().ID, e)
		if err != nil {
			return err
		}
		if d.email == "" {
			if err := s.count(ctx, v, d, email, source); err != nil {
				return err
			}
		}
		refusal = s.checkAddress(v, d, email)
		return nil
	})
	if err != nil {
		return err
	}
	return refusal
}

// reevaluate is resolve inside the unit of work, where no one else can use the invitation. The key must have been
// verified. Errors: those of resolve.
func (s *service) reevaluate(ctx context.Context, r realm.ID, e applicant) (*directory.View, admission, error) {
	v, err := s.Directory.View(ctx, r) // excludes concurrent changes of the realm
	if err != nil {
		return nil, admission{}, err
	}
	var at *invite.Invite
	if e.Key != "" {
		id, _, _ := invite.Parse(e.Key) // resolve has verified the key
		if at, err = s.store.Get(ctx, id); err != nil {
			return nil, admission{}, err
		}
		if at == nil {
			return nil, admission{}, invalidInvite()
		}
	}
	d, err := s.evaluate(ctx, v, at)
	return v, d, err
}

// confirm sends a confirmation email. Only that email reveals whether the address is in use.
func (s *service) confirm(
	ctx context.Context, v *directory.View, d admission, e applicant, email string,
) (joined, error) {
	source, err := s.checkSource(ctx, v, d, e, email)
	if err != nil {
		return joined{}, err
	}
	r := v.Realm().ID
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (joined, error) {
		v, d, err := s.reevaluate(ctx, r, e)
		if err != nil {
			return joined{}, err
		}
		if err := s.count(ctx, v, d, email, source); err != nil {
			return joined{}, err
		}
		now := s.Clock.Now()
		i := &invite.Invite{
			Realm: r, Kind: invite.Confirmation, Nonce: random(nonceBytes), Email: email, Created: now,
			Expires: now.Add(s.cfg.ConfirmationValidity),
		}
		if d.by != nil {
			i.Link = d.by.ID
		}
		if err := s.store.Add(ctx, i); err != nil {
			return joined{}, err
		}
		return joined{
				Realm:   v.Realm(),
				Email:   email,
				Confirm: true,
			}, s.Outbox.Post(
				ctx,
				r,
				mail.Letter{Kind: letterKind, Ref: int64(i.ID)},
			)
	})
}

// checkSource checks the limits for sign-ups without an email invitation, and returns the keyed hash of the client's
// network address under which count records the attempt. Refused attempts are not counted, so that they do not use up
// the quota of others. Errors: RateLimit.
func (s *service) checkSource(
	ctx context.Context, v *directory.View, d admission, e applicant, email string,
) (string, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return "", err
	}
	source := secret.Source(e.From)
	return source, s.checkLimits(ctx, v, d, email, source)
}

// count records a sign-up without an email invitation. Errors: RateLimit.
func (s *service) count(ctx context.Context, v *directory.View, d admission, email, source string) error {
	if err := s.checkLimits(ctx, v, d, email, source); err != nil {
		return err
	}
	return s.store.Note(ctx, []sent{{
		RealmID: v.Realm().ID, Kind: d.counted(), UserID: d.inviter(), EmailKey: user.EmailKey(email), Source: source,
		SentAt: s.Clock.Now(),
	}})
}

// counted returns the kind under which a sign-up without an email invitation is counted. Sign-ups with and without a
// link are counted separately: anyone can sign up without a link, and must not block people who have one.
func (d admission) counted() invite.Kind {
	if d.by == nil {
		return invite.Confirmation
	}
	return invite.ByLink
}

// checkLimits checks the daily limits for sign-ups without an email invitation: per realm, with or without a link; per
// inviter; per address in the realm; and per network source across all realms. Errors: RateLimit.
func (s *service) checkLimits(ctx context.Context, v *directory.View, d admission, email, source string) error {
	since, r, key := s.Clock.Now().Add(-day), v.Realm().ID, user.EmailKey(email)
	today, err := s.store.Sent(ctx, r, d.counted(), accountsOf(v, d.inviter()), since)
	if err != nil {
		return err
	}
	here, err := s.store.SentFrom(ctx, source, since)
	if err != nil {
		return err
	}
	mailed, err := s.store.SentTo(ctx, r, []string{key}, since)
	if err != nil {
		return err
	}
	full, most := today.All >= s.cfg.DailyWithoutLink, s.cfg.DailyPerSource
	if d.by != nil { // one inviter's link must leave something for those of others
		l := quota.Limit{What: "sign-ups by link a day", Total: s.cfg.DailyConfirmations, Author: s.cfg.DailyConfirmations}
		part, _ := l.Exceeded(roleOf(v, d.inviter()), today, 1)
		full, most = part != quota.None, s.cfg.DailyPerSourceWithLink
	}
	if full || here >= most || mailed[key] >= s.cfg.DailyPerAddress {
		return errs.New(errs.RateLimit, "Too many people have tried to join today. Please try again tomorrow.").
			With("retry-after", day.Seconds())
	}
	return nil
}

// inviter returns the user whose link is used, or 0.
func (d admission) inviter() user.ID {
	if d.by == nil {
		return 0
	}
	return d.by.Inviter
}
