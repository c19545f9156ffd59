package presence

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// kind is the reason why a user's row changes.
type kind int8

const (
	reported kind = iota
	hid           // the user started to hide their presence
	showed        // the user stopped hiding it
	returned      // the user was reactivated: the times are unchanged, but clients have dropped them
)

// change is a pending change of a user's row.
type change struct {
	user   user.ID
	kind   kind
	status presence.Status // for reported
	at     time.Time
}

// write applies a batch of changes with three statements, whatever the size of the batch. It runs under the realm's
// lock, so counters become visible in order.
func (s *service) write(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	rows, err := s.currentRows(ctx, in)
	if err != nil {
		return nil, err
	}
	var changed []*row
	var events []event.Event
	added := map[user.ID]bool{}
	for _, intent := range in {
		c := intent.Value.(*change)
		r := rows[c.user]
		notify, ok := c.apply(v, &r)
		if !ok {
			continue
		}
		if rows[c.user] = r; !added[c.user] {
			added[c.user] = true
			changed = append(changed, r)
		}
		if notify {
			events = append(events, announce(v, v.User(c.user), r.times(), c.at))
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	counter, err := s.rows.Highest(ctx, v.Realm().ID)
	if err != nil {
		return nil, err
	}
	for _, r := range changed {
		counter++
		r.Counter = counter
	}
	return events, s.rows.Save(ctx, changed)
}

// currentRows returns the current rows of the users affected by a batch.
func (s *service) currentRows(ctx context.Context, in []*ports.Intent) (map[user.ID]*row, error) {
	us := make([]user.ID, len(in))
	for i, intent := range in {
		us[i] = intent.Value.(*change).user
	}
	rows, err := s.rows.Of(ctx, us...)
	current := make(map[user.ID]*row, len(rows))
	for _, r := range rows {
		current[r.UserID] = r
	}
	return current, err
}

// apply applies the change to a user's row, which may be nil. It reports whether other users must be notified
// immediately, and whether anything changed.
func (c *change) apply(v *directory.View, r **row) (notify, changed bool) {
	u := v.User(c.user)
	if u == nil || !u.Active || u.IsBot() {
		return false, false
	}
	var before presence.Times
	if *r != nil {
		before = (*r).times()
	}
	after := before
	switch c.kind {
	case reported:
		if !reports(v, u) {
			return false, false
		}
		after, changed, notify = before.Report(c.status, c.at)
		notify = notify && presence.Broadcasts(countUsers(v))
	case hid:
		after, changed, notify = before.Hide(c.at), true, enabled(v)
	case showed:
		changed = enabled(v)
		after, notify = before.Show(c.at), changed
	case returned:
		changed = *r != nil
	}
	if !changed {
		return false, false
	}
	if *r == nil {
		*r = &row{UserID: c.user, RealmID: v.Realm().ID}
	}
	(*r).set(after)
	return notify, true
}

// countUsers counts the active users other than system bots. It stops once there are too many for immediate events.
func countUsers(v *directory.View) int {
	n := 0
	for _, id := range v.Active() {
		if !v.User(id).System {
			n++
		}
		if !presence.Broadcasts(n) {
			break
		}
	}
	return n
}
