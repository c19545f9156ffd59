package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
)

// imported updates the users' lists after an import has stored subscriptions.
func (s *Service) imported(ctx context.Context, m *channel.Imported) error {
	var all []channel.SubscriptionRef
	for c, us := range m.Subscribers {
		for _, u := range us {
			all = append(all, channel.SubscriptionRef{User: u, Channel: c})
		}
	}
	return s.rows.updateLists(ctx, m.Realm, all, channel.Set.Union)
}
