package channels

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Members become full members when their accounts are old enough, and may then see more channels. No log entry records
// this. A realm with a waiting period therefore has a row with the time up to which new full members were announced,
// and the time at which the next member becomes a full member.

// announceFullMembers notifies members whose accounts have become old enough. It is run by a job.
func (s *service) announceFullMembers(ctx context.Context) error {
	all, err := s.Realms.Active(ctx)
	for some := range slices.Chunk(all, block) {
		due, failed := s.rows.Due(ctx, some, s.Clock.Now())
		err = errors.Join(err, failed)
		for _, r := range due {
			err = errors.Join(err, s.Work.Do(ctx, func(ctx context.Context) error { return s.announceIn(ctx, r) }))
		}
	}
	return err
}

func (s *service) announceIn(ctx context.Context, r realm.ID) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	row, err := s.rows.Waiting(ctx, r)
	if err != nil || row == nil {
		return err
	}
	before := v.AsOf(v.Seq(), row.Upto.UTC())
	if err := s.rows.SetWaiting(ctx, r, v.Now(), nextFullMember(v)); err != nil {
		return err
	}
	if err := s.Log.Append(ctx, visibilityEvents(r, permission.VisibleByAge(before, v))...); err != nil {
		return err
	}
	m := &user.BecameFullMember{Realm: r}
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

// updateWaitingPeriod updates a realm's row when users join or the waiting period changes. It returns the views before
// and after the change, limited to the full members who were announced.
func (s *service) updateWaitingPeriod(
	ctx context.Context, m *directory.Changed,
) (before, after *directory.View, err error) {
	waited, waits := permission.Waiting(m.Before), permission.Waiting(m.After)
	people := waited != waits || peopleIn(m.Changes)
	if waited == 0 && waits == 0 || !people && !groupsIn(m.Changes) {
		return m.Before, m.After, nil
	}
	announced, err := s.announced(ctx, permission.WaitingPeriod{Changed: m})
	if err != nil {
		return nil, nil, err
	}
	before, after = announced.View(m.Before), announced.View(m.After)
	switch {
	case waits == 0:
		return before, m.After, s.rows.EndWaiting(ctx, m.Realm)
	case waited != waits || announced.Upto.IsZero(): // the events of the change notify all affected users
		return before, m.After, s.rows.SetWaiting(ctx, m.Realm, m.After.Now(), nextFullMember(m.After))
	case people:
		err = s.rows.SetWaiting(ctx, m.Realm, announced.Upto, nextFullMember(after))
	}
	return before, after, err
}

// announced answers [permission.WaitingPeriod]. All hooks that handle the same change get the row as the first of them
// read it, since updateWaitingPeriod overwrites it.
func (s *service) announced(ctx context.Context, q permission.WaitingPeriod) (a permission.Announced, err error) {
	type asked struct{}
	row := directory.Once(q.Changed, asked{}, func() (row *waitingRow) {
		row, err = s.rows.Waiting(ctx, q.Changed.Realm)
		return row
	})
	if row != nil {
		a.Upto = row.notified(q.Changed.Before.Now())
	}
	return a, err
}

// asNotified returns the view that members were notified of, in which members who became full members by account age
// are not full members until announced. The realm must be locked.
func (s *service) asNotified(ctx context.Context, r realm.ID, v *directory.View) (*directory.View, error) {
	if permission.Waiting(v) == 0 {
		return v, nil
	}
	row, err := s.rows.Waiting(ctx, r)
	if err != nil || row == nil {
		return v, err
	}
	return v.AsOf(v.Seq(), row.notified(v.Now())), nil
}

func peopleIn(changes []directory.Change) bool {
	for _, c := range changes {
		if c.User != nil &&
			(c.User.Old == nil || c.User.New == nil || c.User.Old.Role != c.User.New.Role ||
				c.User.Old.Active != c.User.New.Active ||
				!c.User.Old.Joined.Equal(c.User.New.Joined)) {
			return true
		}
	}
	return false
}

// groupsIn reports whether group memberships may have changed.
func groupsIn(changes []directory.Change) bool {
	return slices.ContainsFunc(changes, func(c directory.Change) bool { return c.Members != nil || c.Group != nil })
}

// nextFullMember returns the time at which the next member becomes a full member, or zero for never.
func nextFullMember(v *directory.View) time.Time {
	var next time.Time
	wait := time.Duration(permission.Waiting(v)) * 24 * time.Hour
	for _, id := range v.WithRole(user.Member) {
		if u := v.User(id); !u.System && !permission.Full(v, u) {
			if at := u.Joined.Add(wait); next.IsZero() || at.Before(next) {
				next = at
			}
		}
	}
	return next
}
