package subscribing

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
)

// Notifying returns the active subscriptions to the given channels that are muted or override a notification setting.
func (s store) Notifying(ctx context.Context, r realm.ID, cs []channel.ID) ([]subscriptionRow, error) {
	var all []subscriptionRow
	for some := range slices.Chunk(cs, block) {
		var rows []subscriptionRow
		err := s.db.From(ctx).NewSelect().Model(&rows).
			Column("user_id", "channel_id", "is_muted", "push_notifications", "email_notifications", "wildcard_mentions_notify").
			Where("channel_id IN (?)", bun.List(some)).Where("realm_id = ?", r).Where("active").
			Where("is_muted OR push_notifications IS NOT NULL OR email_notifications IS NOT NULL OR " +
				"wildcard_mentions_notify IS NOT NULL").
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}
