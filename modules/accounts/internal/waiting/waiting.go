// Package waiting notifies other modules when members become full members.
//
// Members become full members when their accounts reach the realm's waiting period. They can then see more channels,
// but the passage of time adds no log entry. Each realm with a waiting period therefore has a row with the time up to
// which new full members have been announced, and the time at which the next member becomes a full member.
package waiting

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Hooks     ports.Hooks
	Clock     ports.Clock
	Realms    ports.Realms
}

// Service announces new full members and stores the time up to which it has done so.
type Service struct {
	Needs
	rows store
}

// New returns the service.
func New(n Needs) *Service { return &Service{n, store{n.DB}} }

// Parts returns the contributions to the module.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Tables:  []kit.Table{kit.NotExported[period]("follows from other tables")},
		Hooks:   []kit.Hook{kit.On(s.directoryChanged)},
		Answers: []kit.Answer{kit.Answers(s.announced)},
		Jobs:    []kit.Job{{Name: "waiting period", Every: time.Minute, Timeout: 10 * time.Minute, Run: s.announce}},
	}
}

// realmsAtOnce is the maximum number of realms per statement.
const realmsAtOnce = 500

// announce is the job that announces members whose accounts have reached the waiting period.
func (s *Service) announce(ctx context.Context) error {
	all, err := s.Realms.Active(ctx)
	for some := range slices.Chunk(all, realmsAtOnce) {
		due, failed := s.rows.Due(ctx, some, s.Clock.Now())
		err = errors.Join(err, failed)
		for _, r := range due {
			err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error { return s.announceIn(ctx, r) }))
		}
	}
	return err
}

func (s *Service) announceIn(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	p, err := s.rows.Get(ctx, r)
	if err != nil || p == nil {
		return err
	}
	if err := s.rows.Set(ctx, r, v.Now(), nextFullMember(v)); err != nil {
		return err
	}
	m := &permission.BecameFullMember{Realm: r, Before: v.AsOf(v.Seq(), p.Upto.UTC()), After: v}
	for _, id := range v.WithRole(user.Member) {
		if u := v.User(id); !u.System && !permission.IsFullMember(m.Before, u) && permission.IsFullMember(v, u) {
			m.Users = append(m.Users, id)
		}
	}
	if len(m.Users) == 0 {
		return nil
	}
	return s.Hooks.Run(ctx, m)
}

// directoryChanged updates a realm's row when users join, their roles change or the waiting period changes.
func (s *Service) directoryChanged(ctx context.Context, m *directory.Changed) error {
	waited, waits := permission.Waiting(m.Before), permission.Waiting(m.After)
	if waited == waits && (waits == 0 || !agesChanged(m.Changes)) {
		return nil
	}
	announced, err := s.announced(ctx, permission.WaitingPeriod{Changed: m})
	switch {
	case err != nil:
		return err
	case waits == 0:
		return s.rows.Delete(ctx, m.Realm)
	case waited != waits || announced.Upto.IsZero(): // the events of the change notify all affected users
		return s.rows.Set(ctx, m.Realm, m.After.Now(), nextFullMember(m.After))
	}
	return s.rows.Set(ctx, m.Realm, announced.Upto, nextFullMember(announced.View(m.After)))
}

// announced answers [permission.WaitingPeriod]. All hooks that handle the same change get the row as read by the first
// of them, because directoryChanged overwrites it.
func (s *Service) announced(ctx context.Context, q permission.WaitingPeriod) (a permission.Announced, err error) {
	if q.Changed == nil {
		p, err := s.rows.Get(ctx, q.View.Realm().ID)
		return p.announced(q.View.Now()), err
	}
	type asked struct{}
	p := directory.Once(q.Changed, asked{}, func() (p *period) {
		p, err = s.rows.Get(ctx, q.Changed.Realm)
		return p
	})
	return p.announced(q.Changed.Before.Now()), err
}

// agesChanged reports whether the changes may affect who is not a full member yet, or their join dates.
func agesChanged(changes []directory.Change) bool {
	return slices.ContainsFunc(changes, func(c directory.Change) bool {
		if c.User == nil {
			return false
		}
		old, now := c.User.Old, c.User.New
		return old == nil || now == nil || old.Role != now.Role || old.Active != now.Active ||
			!old.Joined.Equal(now.Joined)
	})
}

// nextFullMember returns the time at which the next member becomes a full member, or zero for never.
func nextFullMember(v *directory.View) time.Time {
	var next time.Time
	wait := time.Duration(permission.Waiting(v)) * 24 * time.Hour
	for _, id := range v.WithRole(user.Member) {
		if u := v.User(id); !u.System && !permission.IsFullMember(v, u) {
			if at := u.Joined.Add(wait); next.IsZero() || at.Before(next) {
				next = at
			}
		}
	}
	return next
}
