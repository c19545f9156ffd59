package store

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// discussion is a topic and its counts.
type discussion struct {
	RecipientID message.Recipient
	TopicKey    string
	Messages    int
	Writers     int
}

// Discussions returns at most limit topics of a realm's channels: those with the most senders since the given time,
// each with its newest messages. Messages of the senders in without do not count.
func (s *Store) Discussions(
	ctx context.Context, r realm.ID, since time.Time, without []user.ID, limit, newest int,
) ([]message.Discussion, error) {
	within, err := s.Since(ctx, r, since)
	if err != nil || len(within) == 0 {
		return nil, err
	}
	counted := func() *bun.SelectQuery {
		q := s.db.From(ctx).NewSelect().TableExpr("messages AS m").Where("m.realm_id = ?", r).
			WhereGroup(" AND ", inRanges(within)).Where("(m.recipient_id & 1) = 0")
		if len(without) > 0 {
			q = q.Where("m.sender_id NOT IN (?)", bun.List(without))
		}
		return q
	}
	var found []discussion
	err = counted().ColumnExpr("m.recipient_id, m.topic_key, COUNT(*) AS messages").
		ColumnExpr("COUNT(DISTINCT m.sender_id) AS writers").Group("m.recipient_id", "m.topic_key").
		OrderExpr("writers DESC, messages DESC, MAX(m.id) DESC").Limit(int64(limit)).Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	keys, at := make([][]any, len(found)), map[discussion]int{}
	out := make([]message.Discussion, len(found))
	for i, d := range found {
		keys[i] = []any{d.RecipientID, d.TopicKey}
		at[discussion{RecipientID: d.RecipientID, TopicKey: d.TopicKey}] = i
		out[i] = message.Discussion{TopicKey: d.TopicKey, Messages: d.Messages, Writers: d.Writers}
		out[i].Channel, _ = d.RecipientID.Channel()
	}
	ranked := counted().ColumnExpr("m.id, m.recipient_id, m.topic_key").
		ColumnExpr("ROW_NUMBER() OVER (PARTITION BY m.recipient_id, m.topic_key ORDER BY m.id DESC) AS age").
		Where("(m.recipient_id, m.topic_key) IN (?)", bunstore.Tuples(keys))
	var rows []struct {
		ID          message.ID
		RecipientID message.Recipient
		TopicKey    string
	}
	err = s.db.From(ctx).NewSelect().TableExpr("(?) AS n", ranked).Column("id", "recipient_id", "topic_key").
		Where("age <= ?", newest).Order("id").Scan(ctx, &rows)
	for _, row := range rows {
		i := at[discussion{RecipientID: row.RecipientID, TopicKey: row.TopicKey}]
		out[i].Newest = append(out[i].Newest, row.ID)
	}
	return out, err
}

// Writers returns the users who have sent a message in a realm since the given time.
func (s *Store) Writers(ctx context.Context, r realm.ID, since time.Time) (user.Set, error) {
	within, err := s.Since(ctx, r, since)
	if err != nil || len(within) == 0 {
		return nil, err
	}
	var ids []user.ID
	err = s.db.From(ctx).NewSelect().TableExpr("messages AS m").ColumnExpr("DISTINCT m.sender_id").
		Where("m.realm_id = ?", r).WhereGroup(" AND ", inRanges(within)).Scan(ctx, &ids)
	slices.Sort(ids)
	return idset.Of(ids...), err
}

// inRanges selects the messages with IDs in one of several ranges.
func inRanges(all []Range) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, in := range all {
			q = q.WhereOr("m.id BETWEEN ? AND ?", in.From, in.To)
		}
		return q
	}
}
