package traffic

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

// block is the maximum number of rows or IDs in one statement.
const block = 1000

// channelRow contains the columns of the table channels that this package reads and writes.
type channelRow struct {
	bun.BaseModel `bun:"table:channels,alias:c"`
	ID            channel.ID `bun:",pk"`
	RealmID       realm.ID
	CreatedAt     time.Time
	Weekly        *int
	Quiet         bool
}

type dayRow struct {
	bun.BaseModel `bun:"table:channel_days,alias:d"`
	RealmID       realm.ID   `bun:",pk"`
	Day           int        `bun:",pk"`
	ChannelID     channel.ID `bun:",pk"`
	Messages      int
}

type tallyRow struct {
	bun.BaseModel `bun:"table:channel_tally,alias:t"`
	ID            int `bun:",pk"`
	Upto          message.ID
}

// LastCounted returns the ID of the last counted message, or 0.
func (s store) LastCounted(ctx context.Context) (message.ID, error) {
	var ids []message.ID
	err := s.db.From(ctx).NewSelect().Model((*tallyRow)(nil)).Column("upto").Where("id = 1").Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// AddCounts adds to the message counts per channel and day and stores the ID of the last counted message.
func (s store) AddCounts(ctx context.Context, sent map[realm.ID][]channel.Counted, upto message.ID) error {
	var rows []dayRow
	for r, all := range sent {
		for _, c := range all {
			rows = append(rows, dayRow{RealmID: r, Day: c.Day, ChannelID: c.Channel, Messages: c.Messages})
		}
	}
	for some := range slices.Chunk(rows, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (realm_id, day, channel_id) DO UPDATE").
			Set("messages = d.messages + EXCLUDED.messages").Exec(ctx)
		if err != nil {
			return err
		}
	}
	_, err := s.db.From(ctx).
		NewInsert().
		Model(&tallyRow{ID: 1, Upto: upto}).
		On("CONFLICT (id) DO UPDATE").
		Set("upto = EXCLUDED.upto").
		Exec(ctx)
	return err
}

// activity summarizes a channel's recent messages.
type activity struct {
	ChannelID channel.ID
	Messages  int // number of messages in the counted days
	Last      int // last day with a message
}

// Activity returns the activity of the realms' channels that have messages on the day active or later. It counts only
// messages from the day counts on.
func (s store) Activity(ctx context.Context, rs []realm.ID, active, counts int) (map[channel.ID]activity, error) {
	var rows []activity
	err := s.db.From(ctx).NewSelect().Model((*dayRow)(nil)).Column("channel_id").
		ColumnExpr("SUM(CASE WHEN d.day >= ? THEN d.messages ELSE 0 END) AS messages", counts).
		ColumnExpr("MAX(d.day) AS last").
		Where("realm_id IN (?)", bun.List(rs)).Where("day >= ?", active).Group("channel_id").Scan(ctx, &rows)
	all := make(map[channel.ID]activity, len(rows))
	for _, a := range rows {
		all[a.ChannelID] = a
	}
	return all, err
}

// Channels returns the realms' channels with their stored traffic.
func (s store) Channels(ctx context.Context, rs []realm.ID) ([]channelRow, error) {
	var all []channelRow
	err := s.db.From(ctx).NewSelect().Model(&all).Column("id", "realm_id", "created_at", "weekly", "quiet").
		Where("realm_id IN (?)", bun.List(rs)).Scan(ctx)
	return all, err
}

// ForgetDays deletes the counts of all realms for the days before the given one.
func (s store) ForgetDays(ctx context.Context, before int) error {
	_, err := s.db.From(ctx).NewDelete().Model((*dayRow)(nil)).Where("day < ?", before).Exec(ctx)
	return err
}

// SetTraffic stores the channels' new traffic, with one statement per distinct value.
func (s store) SetTraffic(ctx context.Context, r realm.ID, all []directory.Traffic) error {
	type value struct {
		known, quiet bool
		weekly       int
	}
	same := map[value][]channel.ID{}
	for _, t := range all {
		v := value{known: t.New != nil, quiet: t.Quiet}
		if v.known {
			v.weekly = *t.New
		}
		same[v] = append(same[v], t.Channel)
	}
	for v, ids := range same {
		var weekly *int
		if v.known {
			weekly = &v.weekly
		}
		for some := range slices.Chunk(ids, block) {
			_, err := s.db.From(ctx).NewUpdate().Model((*channelRow)(nil)).Set("weekly = ?", weekly).Set("quiet = ?", v.quiet).
				Where("realm_id = ?", r).Where("id IN (?)", bun.List(some)).Exec(ctx)
			if err != nil {
				return err
			}
		}
	}
	return nil
}
