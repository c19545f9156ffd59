package notifications

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/quiet"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// quietChanged is the event about a user's hours, for clients that know it.
var quietChanged = kit.Event[quiet.Hours]("do_not_disturb", "").Sends(quiet.Hours{}).
	Shape(func(_ context.Context, _ *directory.View, c event.Client, h *quiet.Hours) (any, bool) {
		return h, c.DoNotDisturb
	})

type quietRes struct {
	Hours quiet.Hours `json:"do_not_disturb"`
}

// getQuiet handles GET /users/me/do_not_disturb.
func (s *service) getQuiet(ctx context.Context, a kit.Actor, _ kit.None) (quietRes, error) {
	all, err := s.store.Quiet(ctx, a.Realm, []user.ID{a.User})
	return quietRes{all[a.User]}, err
}

// quietSection returns the section do_not_disturb of /register.
func (s *service) quietSection(ctx context.Context, a kit.Actor, _ event.Client) (quietRes, error) {
	return s.getQuiet(ctx, a, kit.None{})
}

type quietReq struct {
	PausedUntil *int64           `json:"paused_until"`
	Schedule    *json.RawMessage `json:"schedule"`
}

// setQuiet handles PATCH /users/me/do_not_disturb. Omitted parameters stay unchanged. Errors: BadRequest, Unauthorized.
func (s *service) setQuiet(ctx context.Context, a kit.Actor, in quietReq) (kit.None, error) {
	if in.PausedUntil == nil && in.Schedule == nil {
		return kit.None{}, errs.Bad("Client did not pass any new values.")
	}
	var schedule *quiet.Schedule
	if in.PausedUntil != nil {
		if err := quiet.CheckPause(*in.PausedUntil, s.Clock.Now()); err != nil {
			return kit.None{}, err
		}
	}
	if in.Schedule != nil {
		var err error
		if schedule, err = quiet.ParseSchedule(*in.Schedule); err != nil {
			return kit.None{}, err
		}
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm) // serializes the change
		if err != nil {
			return err
		}
		if _, err := permission.Caller(v, a); err != nil {
			return err
		}
		all, err := s.store.Quiet(ctx, a.Realm, []user.ID{a.User})
		if err != nil {
			return err
		}
		old := all[a.User]
		now := old
		if in.PausedUntil != nil {
			now.PausedUntil = *in.PausedUntil
		}
		if in.Schedule != nil {
			now.Schedule = schedule
		}
		if now.Equal(old) {
			return nil
		}
		if err := s.store.SetQuiet(ctx, a.Realm, a.User, now); err != nil {
			return err
		}
		return s.Log.Append(ctx, quietChanged.To(a.Realm, event.To(a.User), now))
	})
}

// profileDeleted deletes a user's hours with the profile.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.store.SetQuiet(ctx, m.Realm, m.User.ID, quiet.Hours{})
}

// audible returns notices without pushes for users whose notifications are silenced now. Their emails remain.
func (s *service) audible(
	ctx context.Context, r realm.ID, notices []notification.Notice,
) ([]notification.Notice, error) {
	var us []user.ID
	for _, n := range notices {
		if n.Push != notification.None {
			us = append(us, n.User)
		}
	}
	if len(us) == 0 {
		return notices, nil
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	slices.Sort(us)
	all := map[user.ID]quiet.Hours{}
	for some := range slices.Chunk(slices.Compact(us), block) {
		part, err := s.store.Quiet(ctx, r, some)
		if err != nil {
			return nil, err
		}
		for u, h := range part {
			all[u] = h
		}
	}
	if len(all) == 0 {
		return notices, nil
	}
	now, silenced := s.Clock.Now(), map[user.ID]bool{}
	for id, h := range all {
		silenced[id] = h.At(now, zone(v.User(id)))
	}
	var out []notification.Notice
	for _, n := range notices {
		if silenced[n.User] {
			n.Push = notification.None
		}
		if n.Push != notification.None || n.Email != notification.None {
			out = append(out, n)
		}
	}
	return out, nil
}

// zone returns a user's time zone, or UTC if the user has chosen none.
func zone(u *user.User) *time.Location {
	if u == nil {
		return time.UTC
	}
	if at, err := time.LoadLocation(u.Settings.Timezone); err == nil {
		return at
	}
	return time.UTC
}
