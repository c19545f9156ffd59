package sessions

import (
	"context"
	"slices"
	"sync"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	return s.endAllExcept(ctx, m.Realm, m.User, 0)
}

func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.endAllExcept(ctx, m.Realm, m.User.ID, 0)
}

// loginChanged ends a user's sessions when the password changes, except the session in which the user changed it.
func (s *service) loginChanged(ctx context.Context, m *user.LoginChanged) error {
	if !m.Password {
		return nil
	}
	acting := session.ID(0)
	if m.By.User == m.User.ID {
		acting = m.By.Session
	}
	return s.endAllExcept(ctx, m.Realm, m.User.ID, acting)
}

// realmDeactivated ends all sessions of a realm with a single log entry.
func (s *service) realmDeactivated(ctx context.Context, m *realm.Deactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	last, err := s.rows.Last(ctx, m.Realm)
	if err != nil {
		return err
	}
	if last > v.SessionsEnded() {
		all := directory.Change{Sessions: &directory.SessionsEnded{Before: v.SessionsEnded(), Last: last}}
		if err := s.Log.Append(ctx, changed.To(m.Realm, event.None(), kit.None{}).Changing(all)); err != nil {
			return err
		}
	}
	return s.rows.DeleteInRealm(ctx, m.Realm)
}

// deleteExpired is the job that deletes expired sessions and tokens.
func (s *service) deleteExpired(ctx context.Context) error {
	now := s.Clock.Now()
	if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.DeleteExpiredTokens(ctx, now) }); err != nil {
		return err
	}
	for {
		expired, err := s.rows.Expired(ctx, now)
		if err != nil {
			return err
		}
		byRealm := map[realm.ID][]session.ID{}
		for _, one := range expired {
			byRealm[one.RealmID] = append(byRealm[one.RealmID], one.ID)
		}
		for r, ids := range byRealm {
			if err := s.deleteExpiredIn(ctx, r, ids); err != nil {
				return err
			}
		}
		if len(expired) < chunk {
			return nil
		}
	}
}

func (s *service) deleteExpiredIn(ctx context.Context, r realm.ID, ids []session.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Directory.View(ctx, r); err != nil {
			return err
		}
		all, err := s.rows.ByID(ctx, ids) // some may have ended in the meantime
		if err != nil {
			return err
		}
		return s.end(ctx, r, all)
	})
}

// used collects the sessions used on this node since the last save.
type used struct {
	mu  sync.Mutex
	ids map[session.ID]struct{}
}

func (u *used) add(id session.ID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ids == nil {
		u.ids = map[session.ID]struct{}{}
	}
	u.ids[id] = struct{}{} // the caller has checked that the session exists, so the set is bounded
}

// take returns the used sessions and resets the set.
func (u *used) take() []session.ID {
	u.mu.Lock()
	defer u.mu.Unlock()
	ids := make([]session.ID, 0, len(u.ids))
	for id := range u.ids {
		ids = append(ids, id)
	}
	u.ids = nil
	slices.Sort(ids) // nodes that write concurrently lock rows in the same order
	return ids
}

// saveUsed is the job that stores the time of use of recently used sessions, and extends them.
func (s *service) saveUsed(ctx context.Context) error {
	now := s.Clock.Now()
	for ids := range slices.Chunk(s.used.take(), chunk) {
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.SetUsed(ctx, ids, now) }); err != nil {
			return err
		}
		if err := s.extend(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}
