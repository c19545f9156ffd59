package status

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
)

// introduced sends statuses to users who have gained access to other users, after the events that add those users. The
// log entries contain only IDs; statuses are read at delivery. There is no event when users lose access.
func (s *service) introduced(ctx context.Context, m *directory.Changed) error {
	var events []event.Event
	for _, c := range permission.VisibilityGroups(m) {
		events = append(events, changed.To(m.Realm, event.Each(c.Guests...), payload{Gained: event.People(c.Gained)}))
	}
	return s.Log.Append(ctx, events...)
}

// loadStatuses reads the statuses for a page of entries with one query.
func (s *service) loadStatuses(ctx context.Context, v *directory.View, page []*payload) error {
	var gained user.Set
	for _, p := range page {
		gained = gained.Union(user.Set(p.Gained))
	}
	if len(gained) == 0 {
		return nil
	}
	all, err := s.rows.Among(ctx, v.Realm().ID, gained)
	for _, p := range page {
		p.all = all
	}
	return err
}

// receiverEvents returns the events for a receiver: one for each user in Gained who has a status and is still visible.
// The events contain the current status. Later events about changes may repeat it, which is harmless.
func receiverEvents(r event.Receiver, p *payload) ([]any, bool) {
	if p.Changed != nil {
		return nil, false
	}
	events := make([]any, len(p.Gained))
	for i, id := range p.Gained {
		u := r.Head.User(id)
		if u == nil || !permission.Sees(r.Head, r.User, id) {
			continue
		}
		fields := p.all[id].Differing(status.Status{})
		if away(u) {
			fields["away"] = true
		}
		fields, some := status.Visible(fields, r.Queue.Client.StatusEndTimes)
		if some {
			fields["user_id"] = id
			events[i] = status.Spell(fields, r.Queue.Client.ZulipNames)
		}
	}
	return events, true
}
