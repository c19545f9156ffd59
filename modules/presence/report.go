package presence

import (
	"context"
	"maps"
	"slices"

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
	NewInput bool   `json:"new_user_input" default:"false"` // for statistics of use, which are not kept
	PingOnly bool   `json:"ping_only" default:"false"`
	Slim     bool   `json:"slim_presence" default:"false"`
}

// report is POST /users/me/presence: it notes that the caller is there, and answers with whom that has changed since.
// Errors: BadRequest.
func (s *service) report(ctx context.Context, a kit.Actor, in reportReq) (*answer, error) {
	status, err := presence.ParseStatus(in.Status)
	if err != nil {
		return nil, err
	}
	if in.Days != nil && *in.Days < 0 {
		return nil, errs.Bad("history_limit_days is too small")
	}
	if err := s.note(ctx, a, status); err != nil || in.PingOnly {
		return nil, err
	}
	return s.answer(ctx, a, wish{after: in.After, days: in.Days, modern: in.Slim || in.After != nil}, false)
}

// note stores a report, unless another one has just been stored.
func (s *service) note(ctx context.Context, a kit.Actor, status presence.Status) error {
	v, me, err := s.caller(ctx, a)
	if err != nil || !reports(v, me) {
		return err
	}
	now := s.Clock.Now()
	epoch, err := s.Reader.Epoch(ctx, a.Realm)
	if err != nil {
		return err
	}
	if r := s.find(a.Realm, epoch).of(a.User); r != nil {
		if _, due, _ := r.times().Report(status, now); !due { // spares the realm's writer what it would drop
			return nil
		}
	}
	return s.submit(ctx, a.Realm, a.User, &change{user: a.User, kind: reported, status: status, at: now})
}

// noting stores the reports of the moment, by user.
func (s *service) noting(ctx context.Context, m *presence.Noting) error {
	for _, u := range slices.Sorted(maps.Keys(m.Reports)) {
		as := m.By
		as.User = u
		if err := s.note(ctx, as, m.Reports[u]); err != nil {
			return err
		}
	}
	return nil
}

// reports tells whether it is stored when somebody is there.
func reports(v *directory.View, u *user.User) bool {
	return u != nil && u.Active && !u.IsBot() && u.Settings.PresenceEnabled && enabled(v)
}

// enabled tells whether people of the realm are told of each other.
func enabled(v *directory.View) bool { return v.Realm() != nil && !v.Realm().Settings.PresenceDisabled }

// settingsChanged is what comes of hiding, and of no longer hiding: others are told at once.
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

// reactivated has everybody told again of somebody whom they had lost.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	return s.submit(ctx, m.Realm, m.By.User, &change{user: m.User, kind: returned, at: s.Clock.Now()})
}

func (s *service) submit(ctx context.Context, r realm.ID, by user.ID, c *change) error {
	return s.Writer.Submit(ctx, r, by, &ports.Intent{Kind: s.changes, Value: c, Size: 96})
}

// caller gives the view and the caller in it. Errors: Unauthorized.
func (s *service) caller(ctx context.Context, a kit.Actor) (*directory.View, *user.User, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, nil, err
	}
	u := v.User(a.User)
	if u == nil || !u.Active {
		return nil, nil, errs.New(errs.Unauthorized, "Account is deactivated")
	}
	return v, u, nil
}
