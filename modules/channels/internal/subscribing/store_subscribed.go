package subscribing

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// subscribedRow lists the channels that one user is subscribed to. A realm can have hundreds of thousands of
// subscriptions, so a node reads these rows, one per user, when it starts.
type subscribedRow struct {
	bun.BaseModel `bun:"table:subscribed_channels,alias:sc"`
	UserID        user.ID `bun:",pk" person:"row"`
	RealmID       realm.ID
	Channels      string // IDs of channels with an active subscription, separated by commas
}

// updateLists updates the users' lists in the transaction that changes subscriptions. It reads only the previous lists,
// not the subscriptions, since one request may subscribe thousands of users with hundreds of subscriptions each.
func (s store) updateLists(
	ctx context.Context,
	r realm.ID,
	changed []channel.SubscriptionRef,
	change func(had, these channel.Set) channel.Set,
) error {
	of := map[user.ID][]channel.ID{}
	for _, p := range changed {
		of[p.User] = append(of[p.User], p.Channel)
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(of)), block) {
		var had []subscribedRow
		if err := s.db.ForUpdate(s.db.From(ctx).NewSelect().Model(&had).Where("user_id IN (?)",
			bun.List(some)).Order("user_id")).Scan(ctx); err != nil {
			return err
		}
		was := make(map[user.ID]string, len(had))
		for _, row := range had {
			was[row.UserID] = row.Channels
		}
		now := make([]subscribedRow, len(some))
		for i, u := range some {
			cs, err := unpack(was[u])
			if err != nil {
				return err
			}
			now[i] = subscribedRow{UserID: u, RealmID: r, Channels: pack(change(cs, idset.Of(of[u]...)))}
		}
		if _, err := s.db.From(ctx).NewInsert().Model(&now).On("CONFLICT (user_id) DO UPDATE").
			Set("channels = EXCLUDED.channels").
			Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// LoadSubscriptions adds a realm's active subscriptions to a view.
func (s store) LoadSubscriptions(ctx context.Context, r realm.ID, b *directory.Builder) error {
	q := s.db.From(ctx).
		NewSelect().
		Model((*subscribedRow)(nil)).
		Column("user_id", "channels").
		Where("realm_id = ?", r).
		Where("channels <> ''")
	return bunstore.Each(ctx, q, func(row []any) error {
		cs, err := unpack(row[1].(string))
		b.Subscriptions(user.ID(row[0].(int64)), cs...)
		return err
	})
}

func pack(cs channel.Set) string {
	var b []byte
	for i, c := range cs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(c), 10)
	}
	return string(b)
}

func unpack(list string) (channel.Set, error) {
	if list == "" {
		return nil, nil
	}
	cs := make([]channel.ID, 0, strings.Count(list, ",")+1)
	for text := range strings.SplitSeq(list, ",") {
		c, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		cs = append(cs, channel.ID(c))
	}
	return idset.Of(cs...), nil
}
