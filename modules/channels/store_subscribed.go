package channels

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// subscribedRow is what the subscriptions of one person say together. A realm has hundreds of thousands of subscriptions, of which a
// node that starts wants to know no more than who and where: it reads one row for each person.
type subscribedRow struct {
	bun.BaseModel `bun:"table:subscribed_channels,alias:sc"`
	UserID        user.ID `bun:",pk"`
	RealmID       realm.ID
	Channels      string // the ids of active subscriptions, with commas between them
}

// sum writes anew which channels people subscribe to, after their subscriptions have been changed in the same transaction.
func (s store) sum(ctx context.Context, us []user.ID) error {
	for some := range slices.Chunk(us, block) {
		_, err := s.db.From(ctx).NewRaw(`INSERT INTO subscribed_channels (user_id, realm_id, channels)
			SELECT user_id, realm_id, coalesce(string_agg(CASE WHEN active THEN CAST(channel_id AS text) END, ','), '')
			FROM subscriptions WHERE user_id IN (?) GROUP BY user_id, realm_id
			ON CONFLICT (user_id) DO UPDATE SET channels = EXCLUDED.channels`, bun.List(some)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// LoadSubscriptions puts the active subscriptions of a realm into a view.
func (s store) LoadSubscriptions(ctx context.Context, r realm.ID, b *directory.Builder) error {
	rows, err := s.db.From(ctx).NewSelect().Model((*subscribedRow)(nil)).Column("user_id", "channels").
		Where("realm_id = ?", r).Where("channels <> ''").Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // what it could tell, Err tells
	for rows.Next() {
		var u user.ID
		var list string
		if err := rows.Scan(&u, &list); err != nil {
			return err
		}
		cs := make([]channel.ID, 0, strings.Count(list, ",")+1)
		for text := range strings.SplitSeq(list, ",") {
			c, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err
			}
			cs = append(cs, channel.ID(c))
		}
		b.Subscriptions(u, cs...)
	}
	return rows.Err()
}
