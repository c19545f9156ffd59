package reading

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// factRow is what of a message decides who has it unread, and where it is counted.
type factRow struct {
	bun.BaseModel `bun:"table:messages"`
	ID            message.ID
	RecipientID   message.Recipient
	Topic         string
	SenderID      user.ID
	Facts         message.Facts
	ReadFor       *user.ID
	Notice        int16
}

func (r *factRow) fact() fact {
	f := fact{ID: r.ID, Recipient: r.RecipientID, Topic: r.Topic, Sender: r.SenderID, Facts: r.Facts, Notice: r.Notice == 1}
	if r.ReadFor != nil {
		f.ReadFor = *r.ReadFor
	}
	return f
}

// Head gives the highest message id there is; 0: none. The realm's next message has a higher one.
func (s store) Head(ctx context.Context) (message.ID, error) {
	var id message.ID
	err := s.db.From(ctx).NewSelect().Table("messages").ColumnExpr("COALESCE(MAX(id), 0)").Scan(ctx, &id)
	return id, err
}

func (s store) facts(ctx context.Context, more func(q *bun.SelectQuery) *bun.SelectQuery) ([]fact, error) {
	var rows []factRow
	q := s.db.From(ctx).NewSelect().Model(&rows).Column("id", "recipient_id", "topic", "sender_id", "facts", "read_for", "notice")
	if err := more(q).Scan(ctx); err != nil {
		return nil, err
	}
	out := make([]fact, len(rows))
	for i := range rows {
		out[i] = rows[i].fact()
	}
	return out, s.follow(ctx, out)
}

// Facts gives the messages of a realm with these ids, ascending; ids that do not exist are left out.
func (s store) Facts(ctx context.Context, r realm.ID, ids []message.ID) ([]fact, error) {
	var all []fact
	for some := range slices.Chunk(ids, block) {
		got, err := s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("id IN (?)", bun.List(some)).Where("realm_id = ?", r).Order("id")
		})
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return all, nil
}

// Span gives all messages of a realm with ids in (after, to], ascending.
func (s store) Span(ctx context.Context, r realm.ID, after, to message.ID) ([]fact, error) {
	return s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("id > ?", after).Where("id <= ?", to).Where("realm_id = ?", r).Order("id")
	})
}

// Above gives messages of conversations with ids in (after, to], at most limit: the newest first, or the oldest first.
func (s store) Above(ctx context.Context, in []message.Recipient, after, to message.ID, limit int, newest bool) ([]fact, error) {
	if len(in) == 0 {
		return nil, nil
	}
	order := "id ASC"
	if newest {
		order = "id DESC"
	}
	return s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("recipient_id IN (?)", bun.List(in)).Where("id > ?", after).Where("id <= ?", to).OrderExpr(order).Limit(int64(limit))
	})
}

// By gives the oldest messages of a sender with ids above after, at most limit, ascending.
func (s store) By(ctx context.Context, r realm.ID, sender user.ID, after message.ID, limit int) ([]fact, error) {
	return s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("sender_id = ?", sender).Where("id > ?", after).Where("realm_id = ?", r).Order("id").Limit(int64(limit))
	})
}

// In gives the messages in a place with ids in (after, to], ascending.
func (s store) In(ctx context.Context, p place, after, to message.ID) ([]fact, error) {
	return s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("recipient_id = ?", p.Recipient).Where("id > ?", after).Where("id <= ?", to).Order("id")
		if p.TopicKey != nil {
			q = q.Where("topic_key = ?", *p.TopicKey)
		}
		return q
	})
}

// HasOwn tells whether somebody has flags of a message in a place, or has received one there that was never moved between
// channels: of others ids do not tell.
func (s store) HasOwn(ctx context.Context, u user.ID, ps []readstate.Period, in place) (bool, error) {
	q := s.db.From(ctx).NewSelect().TableExpr("messages AS m").Where("m.recipient_id = ?", in.Recipient)
	if in.TopicKey != nil {
		q = q.Where("m.topic_key = ?", *in.TopicKey)
	}
	return q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("EXISTS (SELECT 1 FROM message_flags f WHERE f.user_id = ? AND f.message_id = m.id)", u)
		for _, p := range ps {
			if p.Open() {
				q = q.WhereOr("m.id > ? AND (m.facts & ?) = 0", p.FromMsg, message.Crossed)
			} else {
				q = q.WhereOr("m.id > ? AND m.id <= ? AND (m.facts & ?) = 0", p.FromMsg, p.ToMsg, message.Crossed)
			}
		}
		return q
	}).Exists(ctx)
}
