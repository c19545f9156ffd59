package channels

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
)

// Retaining returns the channels that contain messages and either have a retention limit or inherit that of one of the
// given realms. Only the realm, the limit and the first message are set.
func (s store) Retaining(ctx context.Context, limited map[realm.ID]int) ([]channelRow, error) {
	var all []channelRow
	q := func() *bun.SelectQuery {
		return s.db.From(ctx).
			NewSelect().
			Model((*channelRow)(nil)).
			Column("realm_id", "retention_days", "first_message").
			Where("first_message > 0")
	}
	if err := q().Where("retention_days > 0").Scan(ctx, &all); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(limited)), block) {
		var more []channelRow
		if err := q().Where("retention_days IS NULL").Where("realm_id IN (?)", bun.List(some)).Scan(ctx, &more); err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}
