package confirmations

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

type resetLinkReq struct {
	User user.ID `json:"user_id"`
}

type resetLinkRes struct {
	Link    string `json:"reset_link"`
	Expires int64  `json:"expires_at"` // Unix seconds
}

// resetLink handles POST /users/{user_id}/password_reset_link: an owner creates a link with which a user sets a new
// password. No mail server is needed. A new link invalidates earlier ones. Errors: BadRequest.
func (s *service) resetLink(ctx context.Context, a kit.Actor, in resetLinkReq) (resetLinkRes, error) {
	if a.Bot != user.Human {
		return resetLinkRes{}, errs.Bad("This endpoint does not accept bot requests.")
	}
	made, expires, err := s.Create(ctx, a.Realm, in.User, a.URL)
	return resetLinkRes{made, expires.Unix()}, err
}

// Create creates a link; see ports.ResetLinks.
func (s *service) Create(
	ctx context.Context, r realm.ID, id user.ID, fallback string,
) (made string, expires time.Time, err error) {
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		v, u, err := s.linked(ctx, r, id)
		if err != nil {
			return err
		}
		c := confirmation.Confirmation{Realm: r, Kind: confirmation.Password, Email: u.DeliveryEmail}
		if err := s.add(ctx, &c, s.cfg.LinkValidity); err != nil {
			return err
		}
		site, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
		if site == "" {
			site = fallback
		}
		made, expires = link(secret, site, &c), c.Expires
		return err
	})
	return made, expires, err
}

// Mail sends a link; see ports.ResetLinks.
func (s *service) Mail(ctx context.Context, r realm.ID, id user.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.requireDelivery(); err != nil {
			return err
		}
		_, u, err := s.linked(ctx, r, id)
		if err != nil {
			return err
		}
		// The user marks an email that the person has not requested.
		c := confirmation.Confirmation{Realm: r, Kind: confirmation.Password, Email: u.DeliveryEmail, User: u.ID}
		return s.queueEmail(ctx, c, s.cfg.LinkValidity)
	})
}

// Mails implements ports.ResetLinks.
func (s *service) Mails() bool { return s.Outbox.Delivers() }

// linked returns a user for whom a link is about to be created, after it has ended their earlier ones and recorded the
// new one. Errors: BadRequest.
func (s *service) linked(ctx context.Context, r realm.ID, id user.ID) (*directory.View, *user.User, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	u := v.User(id)
	switch {
	case u == nil, u.System, u.IsBot():
		return nil, nil, errs.Bad("No such user")
	case !u.Active:
		return nil, nil, errs.Bad("User is deactivated")
	}
	if err := checkPasswordAuth(v); err != nil {
		return nil, nil, err
	}
	if err := s.store.EndPasswords(ctx, r, s.Clock.Now(), u.DeliveryEmail); err != nil {
		return nil, nil, err
	}
	return v, u, s.Audit.Record(ctx, audit.Fact{
		Realm: r, Action: audit.UserResetLink, Target: audit.To(audit.User, u.ID),
		New: audit.Values{"link": audit.Secret},
	})
}
