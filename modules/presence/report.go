package presence

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type reportReq struct {
	Status   string `json:"status"`
	After    *int64 `json:"last_update_id"`
	Days     *int   `json:"history_limit_days"`
	NewInput bool   `json:"new_user_input" default:"false"` // for usage statistics, which are not collected
	PingOnly bool   `json:"ping_only" default:"false"`
	Slim     bool   `json:"slim_presence" default:"false"`
}

// report handles POST /users/me/presence. It records that the caller is connected and returns the changes since the
// caller's last report. Errors: BadRequest.
func (s *service) report(ctx context.Context, a kit.Actor, in reportReq) (*response, error) {
	status, err := presence.ParseStatus(in.Status)
	if err != nil {
		return nil, err
	}
	if in.Days != nil && *in.Days < 0 {
		return nil, errs.Bad("history_limit_days is too small")
	}
	if err := s.storeReport(ctx, a, status); err != nil || in.PingOnly {
		return nil, err
	}
	return s.respond(ctx, a, options{after: in.After, days: in.Days, modern: in.Slim || in.After != nil}, false)
}

// storeReport stores a report, unless the user's row is recent enough.
func (s *service) storeReport(ctx context.Context, a kit.Actor, status presence.Status) error {
	v, me, err := kit.Caller(ctx, s.Directory, a)
	if err != nil || !reports(v, me) {
		return err
	}
	now := s.Clock.Now()
	epoch, err := s.Reader.Epoch(ctx, a.Realm)
	if err != nil {
		return err
	}
	if r := s.cache(a.Realm, epoch).of(a.User); r != nil {
		if _, due, _ := r.times().Report(status, now); !due { // the writer would drop the report
			return nil
		}
	}
	return s.submit(ctx, a.Realm, a.User, &change{user: a.User, kind: reported, status: status, at: now})
}

// storeReports stores the reports of the hook event in the order of user IDs.
func (s *service) storeReports(ctx context.Context, m *presence.Recording) error {
	for _, u := range slices.Sorted(maps.Keys(m.Reports)) {
		as := m.By
		as.User = u
		if err := s.storeReport(ctx, as, m.Reports[u]); err != nil {
			return err
		}
	}
	return nil
}

// reports reports whether a user's presence is recorded.
func reports(v *directory.View, u *user.User) bool {
	return u != nil && u.Active && !u.IsBot() && u.Settings.PresenceEnabled && enabled(v)
}

// enabled reports whether the realm shares presence.
func enabled(v *directory.View) bool { return v.Realm() != nil && !v.Realm().Settings.PresenceDisabled }

// settingsChanged notifies other users immediately when a user starts or stops hiding their presence.
func (s *service) settingsChanged(ctx context.Context, m *user.SettingsChanged) error {
	if m.Old.Settings.PresenceEnabled == m.User.Settings.PresenceEnabled {
		return nil
	}
	c := &change{user: m.User.ID, kind: hid, at: s.Clock.Now()}
	if m.User.Settings.PresenceEnabled {
		c.kind = showed
	}
	return s.submit(ctx, m.Realm, m.By.User, c)
}

// catchUp hides the presence of users who have chosen so while the module was left out.
func (s *service) catchUp(ctx context.Context, r realm.ID, _ time.Time) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	for u := range v.Users() {
		if !u.Active || u.IsBot() || u.Settings.PresenceEnabled {
			continue
		}
		if err := s.submit(ctx, r, 0, &change{user: u.ID, kind: hid, at: s.Clock.Now()}); err != nil {
			return err
		}
	}
	return nil
}

// reactivated sends a reactivated user's times again, because clients dropped them at the deactivation.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	return s.submit(ctx, m.Realm, m.By.User, &change{user: m.User, kind: returned, at: s.Clock.Now()})
}

func (s *service) submit(ctx context.Context, r realm.ID, by user.ID, c *change) error {
	return s.Writer.Submit(ctx, r, by, &ports.Intent{Kind: s.changes, Value: c, Size: 96})
}
