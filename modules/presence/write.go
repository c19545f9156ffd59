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

// kind is why somebody's times change.
type kind int8

const (
	reported kind = iota
	hid           // they no longer want to be seen
	showed        // they want to be seen again
	returned      // they were reactivated: the times stay, but others have dropped them
)

// change is one person's change that waits to be written.
type change struct {
	user   user.ID
	kind   kind
	status presence.Status // of a report
	at     time.Time
}

// write is the intent kind's Write: however many reports, three statements. It is under the realm's lock, so the
// counters that it gives are seen in their order.
func (s *service) write(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	had, err := s.had(ctx, in)
	if err != nil {
		return nil, err
	}
	var changed []*row
	var events []event.Event
	counted := map[user.ID]bool{}
	for _, intent := range in {
		c := intent.Value.(*change)
		r := had[c.user]
		tell, ok := c.apply(v, &r)
		if !ok {
			continue
		}
		if had[c.user] = r; !counted[c.user] {
			counted[c.user] = true
			changed = append(changed, r)
		}
		if tell {
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

// had gives the rows of those whom changes are about.
func (s *service) had(ctx context.Context, in []*ports.Intent) (map[user.ID]*row, error) {
	us := make([]user.ID, len(in))
	for i, intent := range in {
		us[i] = intent.Value.(*change).user
	}
	rows, err := s.rows.Of(ctx, us...)
	had := make(map[user.ID]*row, len(rows))
	for _, r := range rows {
		had[r.UserID] = r
	}
	return had, err
}

// apply makes the change to somebody's row, which is nil if there is none, and tells whether it is one, and whether
// others are to be told at once.
func (c *change) apply(v *directory.View, r **row) (tell, changed bool) {
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
		after, changed, tell = before.Report(c.status, c.at)
		tell = tell && presence.Tells(people(v))
	case hid:
		after, changed, tell = before.Hide(c.at), true, enabled(v)
	case showed:
		changed = enabled(v)
		after, tell = before.Show(c.at), changed
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
	return tell, true
}

// people counts the active users but for the server's own bots, as far as it matters.
func people(v *directory.View) int {
	n := 0
	for _, id := range v.Active() {
		if !v.User(id).System {
			n++
		}
		if !presence.Tells(n) {
			break
		}
	}
	return n
}
