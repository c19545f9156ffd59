package sessions

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/kit"
)

const day = 24 * time.Hour

// lifetimes are the settings of an organization for how long sessions last. The defaults are those of the server.
type lifetimes struct{ life, idle declared.Realm[int] }

// maxDays is the maximum of the settings.
const maxDays = 365

func newLifetimes(c Config) lifetimes {
	days := func(d time.Duration) declared.Kind[int] {
		return declared.Int(min(max(int(d/day), 1), maxDays), 1, maxDays)
	}
	return lifetimes{
		declared.ForRealm("session_life_days", days(c.Lifetime), "Days until people must log in again",
			"In each browser, however often they use it.").ByOwners(),
		declared.ForRealm("session_idle_days", days(c.Idle), "Days without use until people must log in again",
			"In each browser.").ByOwners(),
	}
}

// horizon returns when a session ends at the latest, and when it ends if it is not used again.
func (s *service) horizon(v *directory.View, one *row) (last, next time.Time) {
	began, used := time.Unix(one.CreatedAt, 0), time.Unix(one.UsedAt, 0)
	life, idle := s.cfg.Lifetime, s.cfg.Idle
	if days := s.times.life.In(v); days != s.times.life.Default {
		life = time.Duration(days) * day
	}
	if days := s.times.idle.In(v); days != s.times.idle.Default {
		idle = time.Duration(days) * day
	}
	last, next = began.Add(life), used.Add(idle)
	if at := ends(one.LimitAt); !at.IsZero() && at.Before(last) {
		last = at
	}
	if next.After(last) {
		next = last
	}
	return last, next
}

// limit returns a time as it is stored; 0: none.
func limit(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

// ends returns a stored time; the zero time if there is none.
func ends(limit int64) time.Time {
	if limit == 0 {
		return time.Time{}
	}
	return time.Unix(limit, 0)
}

// extensions is how many times a session is extended, at most, while the idle time passes.
const extensions = 14

// moved returns when a session ends that was used, or that lasts longer than the organization allows now; ok is false
// if it ends as it should. Each change is an entry of the log, so a session in use is extended about daily.
func (s *service) moved(v *directory.View, one *row) (ends int64, ok bool) {
	used, now := time.Unix(one.UsedAt, 0), time.Unix(one.EndsAt, 0)
	_, next := s.horizon(v, one)
	return next.Unix(), now.After(next) || next.Sub(now) > next.Sub(used)/extensions
}

// adjust moves the ends of sessions of a realm. It must be called inside Do.
func (s *service) adjust(ctx context.Context, r realm.ID, ids []session.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	all, err := s.rows.ByID(ctx, ids)
	if err != nil {
		return err
	}
	var changes []directory.Change
	for _, one := range all {
		ends, ok := s.moved(v, one)
		if !ok {
			continue
		}
		old := one.session()
		one.EndsAt = ends
		if err := s.rows.SetEnds(ctx, one); err != nil {
			return err
		}
		changes = append(changes, directory.OfSession(old, one.session()))
	}
	if changes == nil {
		return nil
	}
	return s.Log.Append(ctx, changed.To(r, event.None(), kit.None{}).Changing(changes...))
}

// extend extends sessions that were used.
func (s *service) extend(ctx context.Context, ids []session.ID) error {
	all, err := s.rows.ByID(ctx, ids)
	if err != nil {
		return err
	}
	of := map[realm.ID][]session.ID{}
	for _, one := range all {
		v, err := s.Directory.View(ctx, one.RealmID)
		if err != nil {
			return err
		}
		if _, ok := s.moved(v, one); ok {
			of[one.RealmID] = append(of[one.RealmID], one.ID)
		}
	}
	for r, ids := range of {
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.adjust(ctx, r, ids) }); err != nil {
			return err
		}
	}
	return nil
}

// shortened is the hook that ends sessions earlier when an organization has shortened their lifetimes.
func (s *service) shortened(ctx context.Context, m *directory.Changed) error {
	set := func(c directory.Change) bool { return c.Slot != nil }
	if m.Before == nil || !slices.ContainsFunc(m.Changes, set) ||
		s.times.life.In(m.Before) == s.times.life.In(m.After) && s.times.idle.In(m.Before) == s.times.idle.In(m.After) {
		return nil
	}
	var late []session.ID
	err := s.rows.Each(ctx, m.Realm, func(one *row) {
		if ends, ok := s.moved(m.After, one); ok && ends < one.EndsAt {
			late = append(late, one.ID)
		}
	})
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(late, chunk) {
		if err := s.adjust(ctx, m.Realm, ids); err != nil {
			return err
		}
	}
	return nil
}
