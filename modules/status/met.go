package status

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/user"
)

// met tells those who come to know of others what these say, after they have been told who they are. The entries name
// people: what they say is read at delivery. Of whom one knows no more nothing is told.
func (s *service) met(ctx context.Context, m *directory.Changed) error {
	var events []event.Event
	for _, c := range permission.Crowds(m) {
		events = append(events, changed.To(m.Realm, event.Each(c.Guests...), told{Seen: event.People(c.Gained)}))
	}
	return s.Log.Append(ctx, events...)
}

// read reads what people say whom some have come to see, with one question for a page of entries.
func (s *service) read(ctx context.Context, v *directory.View, page []*told) error {
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

// own are the events for somebody who has come to see people: of each who says something and may still be seen. They
// tell what is said now, and what changed meanwhile is told once more, so that it ends at the same.
func own(r event.Receiver, p *told) ([]any, bool) {
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
