package imports

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
	"github.com/stoachat/stoa/modules/kit"
)

type personLink struct {
	Name  string `json:"full_name"`
	Email string `json:"email"`
	Link  string `json:"reset_link"`
}

type linksReq struct {
	ID   store.JobID `json:"import_id"`
	Send bool        `json:"send"      default:"false"`
}

type linksRes struct {
	Links   []personLink `json:"links"`
	Expires int64        `json:"expires_at"` // Unix seconds
	Sent    int          `json:"sent_count"`
	Recent  int          `json:"recent_count"`
}

// linkable refuses to make links for people of an organization that others use by now.
func (s *service) linkable(j *store.Job) error {
	switch {
	case s.Links == nil:
		return errs.Bad("This server makes no links to set a password")
	case j.State != store.Complete || j.EndedAt == nil || s.Clock.Now().Sub(*j.EndedAt) > linkPeriod:
		return errs.Bad("Links can be made within %d hours after an import", int(linkPeriod/time.Hour))
	}
	return nil
}

// links handles POST /imports/:import_id/links. Errors: BadRequest; RateLimit if links have been sent too often.
func (s *service) links(ctx context.Context, a kit.Actor, in linksReq) (linksRes, error) {
	out := linksRes{Links: []personLink{}}
	j, err := s.job(ctx, a, in.ID)
	if err != nil {
		return out, err
	}
	if err := s.linkable(j); err != nil {
		return out, err
	}
	if in.Send && !s.Links.Mails() {
		return out, errs.Bad("This server does not send email")
	}
	if in.Send {
		if err := s.admitMailing(ctx, a.Realm); err != nil {
			return out, err
		}
	}
	shortest := letterPeriod
	v, err := s.Directory.View(ctx, j.TargetID)
	if err != nil {
		return out, err
	}
	url, err := s.address(ctx, j.TargetID, a.URL)
	if err != nil {
		return out, err
	}
	for u := range v.Users() {
		if !u.Active || u.IsBot() || u.System {
			continue
		}
		// Who has been in needs no link, with which somebody else could come in.
		has, _, err := s.HasPassword.Ask(ctx, user.HasPassword{Realm: j.TargetID, User: u.ID})
		if err != nil {
			return out, err
		}
		if has || len(u.Keys) > 0 {
			continue
		}
		if in.Send {
			pause, err := s.mailLink(ctx, a.Realm, j.TargetID, u)
			if err != nil {
				return out, fmt.Errorf("%s: %w", u.FullName, err)
			}
			if pause > 0 {
				out.Recent++
				shortest = min(shortest, pause)
			} else {
				out.Sent++
			}
			continue
		}
		link, expires, err := s.Links.Create(ctx, j.TargetID, u.ID, url)
		if err != nil {
			return out, fmt.Errorf("%s: %w", u.FullName, err)
		}
		out.Links, out.Expires = append(out.Links, personLink{u.FullName, u.DeliveryEmail, link}), expires.Unix()
	}
	if out.Sent == 0 && out.Recent > 0 {
		return linksRes{Links: []personLink{}}, mailedEnough(shortest)
	}
	return out, s.record(ctx, audit.ImportLinks, j)
}
