package presence

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/user"
)

// Clients that request only changes would never receive the times of users that they could not see before. Therefore an
// event contains these times when users gain access to others, regardless of the size of the realm.

// introduced sends users the times of the users that they have gained access to. The log entries contain only IDs;
// times are read at delivery.
func (s *service) introduced(ctx context.Context, m *directory.Changed) error {
	if !enabled(m.After) {
		return nil
	}
	var events []event.Event
	for _, c := range permission.VisibilityGroups(m) {
		p := payload{Gained: event.People(c.Gained), At: seconds(s.Clock.Now())}
		events = append(events, presenceEvent.To(m.Realm, event.Each(c.Guests...), p))
	}
	return s.Log.Append(ctx, events...)
}

// maxByID is the maximum number of users queried by ID. For more users, all recently active ones are queried.
const maxByID = 500

// times reads the times for a page of entries with one query. Like lists, it omits users who have not been connected
// for presence.DefaultDays.
func (s *service) times(ctx context.Context, v *directory.View, page []*payload) error {
	var gained user.Set
	for _, p := range page {
		gained = gained.Union(user.Set(p.Gained))
	}
	if len(gained) == 0 {
		return nil
	}
	var rows []*row
	var err error
	since := presence.Since(s.Clock.Now(), presence.DefaultDays)
	if len(gained) > maxByID {
		rows, err = s.query(ctx, v.Realm().ID, &query{since: since})
	} else {
		rows, err = s.rows.Of(ctx, gained...)
	}
	all := make(map[user.ID]*row, len(rows))
	for _, r := range rows {
		if !r.ConnectedAt.Before(since) {
			all[r.UserID] = r
		}
	}
	for _, p := range page {
		p.rows = all
	}
	return err
}

// receiverEvents returns the events for a receiver. They contain the users that have reported their presence and are
// visible to the receiver: one user per event, or all users in a single event for clients that support it.
func receiverEvents(r event.Receiver, p *payload) ([]any, bool) {
	if p.Gained == nil {
		return nil, false
	}
	events, all := make([]any, len(p.Gained)), map[string]presence.Seen{}
	if !enabled(r.Head) {
		return nil, true
	}
	for i, id := range p.Gained {
		u, row := r.Head.User(id), p.rows[id]
		if u == nil || row == nil || !u.Active || !permission.Sees(r.Head, r.User, id) {
			continue
		}
		seen := row.times().Seen(u.Joined)
		all[strconv.FormatInt(int64(id), 10)] = seen
		events[i] = legacyEventOf(r.Head, r.Queue.Client, u, seen, p.At)
	}
	switch {
	case !r.Queue.Client.SimplifiedPresence:
		return events, true
	case len(all) == 0:
		return nil, true
	}
	return []any{simpleEvent{all}}, true
}
