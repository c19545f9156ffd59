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

// Clients that ask for what has changed are not given again who was there before they knew of them. So whoever comes to
// know of people is told of these, however many people the realm has.

// met tells those who come to know of others when these were there. The entries name people: their times are read at
// delivery.
func (s *service) met(ctx context.Context, m *directory.Changed) error {
	if !enabled(m.After) {
		return nil
	}
	var events []event.Event
	for _, c := range permission.Crowds(m) {
		events = append(
			events,
			presenceEvent.To(m.Realm, event.Each(c.Guests...), told{Met: event.People(c.Gained), At: seconds(s.Clock.Now())}),
		)
	}
	return s.Log.Append(ctx, events...)
}

// few is up to how many people are asked for each by id, rather than all who were there lately.
const few = 500

// times reads the times of those whom some have come to know of, with one question for a page of entries. Who has not
// been there for as long as lists begin with is left out, as in these.
func (s *service) times(ctx context.Context, v *directory.View, page []*told) error {
	var met user.Set
	for _, p := range page {
		met = met.Union(user.Set(p.Met))
	}
	if len(met) == 0 {
		return nil
	}
	var rows []*row
	var err error
	since := presence.Since(s.Clock.Now(), presence.DefaultDays)
	if len(met) > few {
		rows, err = s.asked(ctx, v.Realm().ID, &query{since: since})
	} else {
		rows, err = s.rows.Of(ctx, met...)
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

// own are the events for somebody who has come to know of people: one for each who was there and may still be seen, or
// one of all of them for clients that know such.
func own(r event.Receiver, p *told) ([]any, bool) {
	if p.Met == nil {
		return nil, false
	}
	events, all := make([]any, len(p.Met)), map[string]presence.Seen{}
	if !enabled(r.Head) {
		return nil, true
	}
	for i, id := range p.Met {
		u, row := r.Head.User(id), p.rows[id]
		if u == nil || row == nil || !u.Active || !permission.Sees(r.Head, r.User, id) {
			continue
		}
		seen := row.times().Seen(u.Joined)
		all[strconv.FormatInt(int64(id), 10)] = seen
		events[i] = olderOf(r.Head, r.Queue.Client, u, seen, p.At)
	}
	switch {
	case !r.Queue.Client.SimplifiedPresence:
		return events, true
	case len(all) == 0:
		return nil, true
	}
	return []any{map[string]any{"presences": all}}, true
}
