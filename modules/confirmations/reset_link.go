package confirmations

import (
	"context"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/errs"
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
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return resetLinkRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (resetLinkRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return resetLinkRes{}, err
		}
		u := v.User(in.User)
		switch {
		case u == nil, u.System, u.IsBot():
			return resetLinkRes{}, errs.Bad("No such user")
		case !u.Active:
			return resetLinkRes{}, errs.Bad("User is deactivated")
		}
		if err := checkPasswordAuth(v); err != nil {
			return resetLinkRes{}, err
		}
		if err := s.store.EndPasswords(ctx, a.Realm, s.Clock.Now(), u.DeliveryEmail); err != nil {
			return resetLinkRes{}, err
		}
		c := confirmation.Confirmation{Realm: a.Realm, Kind: confirmation.Password, Email: u.DeliveryEmail}
		if err := s.add(ctx, &c, s.cfg.LinkValidity); err != nil {
			return resetLinkRes{}, err
		}
		err = s.Audit.Record(ctx, audit.Fact{
			Realm: a.Realm, Action: audit.UserResetLink, Target: audit.To(audit.User, u.ID),
			New: audit.Values{"link": audit.Secret},
		})
		if err != nil {
			return resetLinkRes{}, err
		}
		site, err := page.Address(ctx, s.Site, s.Realms, v.Realm())
		if site == "" {
			site = a.URL
		}
		return resetLinkRes{link(secret, site, &c), c.Expires.Unix()}, err
	})
}
