package sessions

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/kit"
)

// shown is a session as sent to its owner. Times are Unix seconds.
type shown struct {
	ID      session.ID `json:"id"`
	Created int64      `json:"created_at"`
	Used    int64      `json:"last_used_at"` // up to a few minutes out of date
	Ends    int64      `json:"expires_at"`
	Client  string     `json:"client"`  // as reported by the browser
	Current bool       `json:"current"` // the session of this request
}

type listRes struct {
	Sessions []shown `json:"sessions"`
}

// list handles GET /sessions.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.rows.Of(ctx, a.User)
	now := s.Clock.Now()
	out := listRes{Sessions: []shown{}}
	for _, one := range all {
		if one.session().Over(now) {
			continue
		}
		x := shown{one.ID, one.CreatedAt, one.UsedAt, one.EndsAt, one.Agent, one.ID == a.Session}
		if x.Current {
			x.Used = now.Unix()
		}
		out.Sessions = append(out.Sessions, x)
	}
	return out, err
}

// endOthers handles DELETE /sessions.
func (s *service) endOthers(ctx context.Context, a kit.Actor, _ kit.None) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		return s.endAllExcept(ctx, a.Realm, a.User, a.Session)
	})
}

type endReq struct {
	ID session.ID `json:"session_id"`
}

// endOne handles DELETE /sessions/{session_id}. Errors: BadRequest if the caller has no such session.
func (s *service) endOne(ctx context.Context, a kit.Actor, in endReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Directory.View(ctx, a.Realm); err != nil {
			return err
		}
		found, err := s.rows.ByID(ctx, []session.ID{in.ID})
		if err != nil {
			return err
		}
		if len(found) == 0 || found[0].UserID != a.User || found[0].session().Over(s.Clock.Now()) {
			return errs.Bad("No such session")
		}
		return s.end(ctx, a.Realm, found)
	})
}

// began answers session.Began.
func (s *service) began(ctx context.Context, q session.Began) (time.Time, error) {
	found, err := s.rows.ByID(ctx, []session.ID{q.ID})
	if err != nil || len(found) == 0 || found[0].RealmID != q.Realm {
		return time.Time{}, err
	}
	return time.Unix(found[0].CreatedAt, 0), nil
}

// aboutUser answers export.AboutUser.
func (s *service) aboutUser(ctx context.Context, q export.AboutUser) (export.Part, error) {
	all, err := s.list(ctx, kit.Actor{Realm: q.Realm, User: q.User}, kit.None{})
	part := export.Part{Name: "sessions"}
	for _, one := range all.Sessions {
		part.Lines = append(part.Lines, one)
	}
	return part, err
}
