package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
)

// updateNamed publishes the channel permissions that name a user who is being deactivated or reactivated, since clients
// receive only the active users in them.
func (s *Service) updateNamed(ctx context.Context, v *directory.View, r realm.ID, u user.ID, active bool) error {
	var events []event.Event
	for c := range v.Channels() {
		for _, rule := range permission.Settings(group.OfStream) {
			value := c.Permissions[rule.Name]
			if value.Group != 0 || !value.Members.Has(u) {
				continue
			}
			if !active { // in the view, the user is still active
				value.Members = value.Members.Minus(user.Set{u})
			}
			p := eventtype.Update{ID: c.ID, Name: c.Name, Property: rule.Name, Value: permission.Shown(v, value)}
			events = append(events, eventtype.StreamUpdate.To(r, event.SeeingChannel(c.ID),
				eventtype.Updated{Update: p, Reach: eventtype.ReachOf(c)}))
		}
	}
	return s.Log.Append(ctx, events...)
}
