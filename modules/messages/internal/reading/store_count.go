package reading

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// counting asks how many messages of a topic there are, and how many and which first were sent since then.
func (s store) counting(ctx context.Context, in message.Recipient, topicKey string, since time.Time) *bun.SelectQuery {
	// The column holds microseconds; what lies within one is later than its beginning.
	if cut := since.Truncate(time.Microsecond); cut.Before(since) {
		since = cut.Add(time.Microsecond)
	}
	return s.db.From(ctx).NewSelect().TableExpr("messages AS m").ColumnExpr("COUNT(*) AS total").
		ColumnExpr("COUNT(*) FILTER (WHERE m.sent_at >= ?) AS allowed", since).
		ColumnExpr("COALESCE(MIN(m.id) FILTER (WHERE m.sent_at >= ?), 0) AS first", since).
		Where("m.recipient_id = ?", in).Where("m.topic_key = ?", topicKey)
}

// Count counts all messages of a topic.
func (s store) Count(ctx context.Context, in message.Recipient, topicKey string, since time.Time) (m message.Movable, err error) {
	err = s.counting(ctx, in, topicKey, since).Scan(ctx, &m)
	return m, err
}

// CountOwn counts those that were never moved between channels and that somebody has flags of or has received.
func (s store) CountOwn(
	ctx context.Context, u user.ID, ps []readstate.Period, in message.Recipient, topicKey string, since time.Time,
) (m message.Movable, err error) {
	q := s.counting(ctx, in, topicKey, since).Where("(m.facts & ?) = 0", message.Crossed)
	err = own(q, u, ps).Scan(ctx, &m)
	return m, err
}
