package status

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
)

// introduced sends statuses to users who can newly see others, after the events that introduce these. The entries only
// name the users; statuses are read at delivery. There is no event when users are no longer visible.
func (s *service) introduced(ctx context.Context, m *directory.Changed) error {
	var events []event.Event
	for _, c := range permission.VisibilityGroups(m) {
		events = append(events, changed.To(m.Realm, event.Each(c.Guests...), payload{Seen: event.People(c.Gained)}))
	}
	return s.Log.Append(ctx, events...)
}

// read loads the statuses of newly visible users for a page of entries with one query.
func (s *service) read(ctx context.Context, v *directory.View, page []*payload) error {
	var seen user.Set
	for _, p := range page {
		seen = seen.Union(user.Set(p.Seen))
	}
	if len(seen) == 0 {
		return nil
	}
	all, err := s.rows.Among(ctx, v.Realm().ID, seen)
	for _, p := range page {
		p.all = all
	}
	return err
}

// receiverEvents returns a receiver's events: one per newly visible user who has a status and is still visible. They
// carry the current status. Events about changes in between repeat it, with the same final result.
func receiverEvents(r event.Receiver, p *payload) ([]any, bool) {
	if p.Changed != nil {
		return nil, false
	}
	events := make([]any, len(p.Seen))
	for i, id := range p.Seen {
		who := r.Head.User(id)
		if who == nil || !permission.Sees(r.Head, r.User, id) {
			continue
		}
		fields := p.all[id].Differing(status.Status{})
		if away(who) {
			fields["away"] = true
		}
		if len(fields) > 0 {
			fields["user_id"] = id
			events[i] = status.Spell(fields, r.Queue.Client.ZulipNames)
		}
	}
	return events, true
}
