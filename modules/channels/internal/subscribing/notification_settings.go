package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// NotificationSettings implements [ports.SubscriptionSettings].
func (s *Service) NotificationSettings(
	ctx context.Context, r realm.ID, cs ...channel.ID,
) (map[channel.ID]map[user.ID]notification.Subscription, error) {
	rows, err := s.rows.Notifying(ctx, r, cs)
	if err != nil {
		return nil, err
	}
	out := map[channel.ID]map[user.ID]notification.Subscription{}
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
