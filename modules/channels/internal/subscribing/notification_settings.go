package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/user"
)

// notificationSettings answers notification.SubscriptionsTo.
func (s *Service) notificationSettings(
	ctx context.Context, q notification.SubscriptionsTo,
) (notification.SubscriptionsByChannel, error) {
	rows, err := s.rows.Notifying(ctx, q.Realm, q.Channels)
	if err != nil {
		return nil, err
	}
	out := notification.SubscriptionsByChannel{}
	for _, row := range rows {
		if out[row.ChannelID] == nil {
			out[row.ChannelID] = map[user.ID]notification.Subscription{}
		}
		out[row.ChannelID][row.UserID] = notification.Subscription{
			Muted: row.IsMuted, Push: row.PushNotifications, Email: row.EmailNotifications, Wildcard: row.WildcardMentionsNotify,
		}
	}
	return out, nil
}
