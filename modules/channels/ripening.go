package channels

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Members become full members by time alone, and then may know of channels that are for those. No entry tells of it, so a
// realm with a waiting period has a row: up to when its people have been told, and when somebody is to be told next.

// ripen is the job that tells those whose accounts have become old enough.
func (s *service) ripen(ctx context.Context) error {
	all, err := s.rows.Ripe(ctx, s.Clock.Now())
	for _, r := range all {
		err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error { return s.ripenIn(ctx, r) }))
	}
	return err
}

func (s *service) ripenIn(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	upto, waiting, err := s.rows.Ripening(ctx, r)
	if err != nil || !waiting {
		return err
	}
	before := v.AsOf(v.Seq(), upto)
	if err := s.rows.SetRipening(ctx, r, v.Now(), nextRipe(v)); err != nil {
		return err
	}
	if err := s.Log.Append(ctx, tellSights(r, permission.Ripened(before, v))...); err != nil {
		return err
	}
	m := &user.Ripened{Realm: r}
	for _, id := range v.WithRole(user.Member) {
		if u := v.User(id); !u.System && !permission.Full(before, u) && permission.Full(v, u) {
			m.Users = append(m.Users, id)
		}
	}
	if len(m.Users) == 0 {
		return nil
	}
	return s.Hooks.Run(ctx, m)
}

// watch keeps the row of a realm right when somebody comes, or the waiting period is another one. It gives the view before the
// change as people have been told of it.
func (s *service) watch(ctx context.Context, m *directory.Changed) (*directory.View, error) {
	waited, waits := waiting(m.Before), waiting(m.After)
	if waited == 0 && waits == 0 || waited == waits && !peopleIn(m.Changes) {
		return m.Before, nil
	}
	upto, found, err := s.rows.Ripening(ctx, m.Realm)
	if err != nil {
		return nil, err
	}
	told := m.Before
	if waited != waits && found {
		told = told.AsOf(told.Seq(), upto)
	}
	if waits == 0 {
		return told, s.rows.EndRipening(ctx, m.Realm)
	}
	if waited != waits || !found { // the change tells everybody who is concerned now
		upto = m.After.Now()
	}
	return told, s.rows.SetRipening(ctx, m.Realm, upto, nextRipe(m.After.AsOf(m.After.Seq(), upto)))
}

func peopleIn(changes []directory.Change) bool {
	for _, c := range changes {
		if c.User != nil && (c.User.Old == nil || c.User.New == nil || c.User.Old.Role != c.User.New.Role || c.User.Old.Active != c.User.New.Active) {
			return true
		}
	}
	return false
}

func waiting(v *directory.View) int {
	if v.Realm() == nil {
		return 0
	}
	return v.Realm().Settings.WaitingPeriodThreshold
}

// nextRipe gives when the next member becomes a full one, zero for never.
func nextRipe(v *directory.View) time.Time {
	var next time.Time
	wait := time.Duration(waiting(v)) * 24 * time.Hour
	for _, id := range v.WithRole(user.Member) {
		if u := v.User(id); !u.System && !permission.Full(v, u) {
			if at := u.Joined.Add(wait); next.IsZero() || at.Before(next) {
				next = at
			}
		}
	}
	return next
}
