package reading

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Head gives the highest message id there is; 0: none. The realm's next message has a higher one.
func (s store) Head(ctx context.Context) (message.ID, error) {
	var id message.ID
	err := s.db.From(ctx).NewSelect().Table("messages").ColumnExpr("COALESCE(MAX(id), 0)").Scan(ctx, &id)
	return id, err
}

// facts reads tens of thousands of rows at once, and each value of a row costs more than what is done with it: what
// fits into one number comes as one, and what hardly a message has is asked for afterwards.
func (s store) facts(ctx context.Context, more func(q *bun.SelectQuery) *bun.SelectQuery) ([]fact, error) {
	q := s.db.From(ctx).NewSelect().Table("messages").ColumnExpr(`id * ? + facts + CASE WHEN notice = 1 THEN ? ELSE 0 END +
		CASE WHEN read_for IS NULL THEN 0 WHEN read_for = sender_id THEN ? ELSE ? END`, idUnit, isNotice, readSelf, readOther).
		Column("recipient_id", "sender_id", "topic")
	var blocks [][]fact // a list that grows by itself would be copied again and again
	topics := map[string]string{}
	err := bunstore.Each(ctx, more(q), func(row []any) error {
		key, name := row[0].(int64), row[3].(string)
		f := fact{
			ID:        message.ID(key / idUnit),
			Recipient: message.Recipient(row[1].(int64)),
			Sender:    user.ID(row[2].(int64)),
			Facts:     message.Facts(key % isNotice),
			Notice:    key&isNotice != 0,
		}
		switch {
		case key&readSelf != 0:
			f.ReadFor = f.Sender
		case key&readOther != 0:
			f.ReadFor = unknownReader
		}
		var known bool
		if f.Topic, known = topics[name]; !known {
			topics[name], f.Topic = name, name
		}
		if n := len(blocks); n == 0 || len(blocks[n-1]) == block {
			blocks = append(blocks, make([]fact, 0, block))
		}
		blocks[len(blocks)-1] = append(blocks[len(blocks)-1], f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := slices.Concat(blocks...)
	if err := s.readers(ctx, out); err != nil {
		return nil, err
	}
	return out, s.follow(ctx, out)
}

// What the first number of a row is made of: the id, and below it message.Facts and these.
const (
	isNotice  = 1 << 16
	readSelf  = 1 << 17
	readOther = 1 << 18
	idUnit    = 1 << 20
)

// unknownReader stands for a reader who is not the sender, until readers has asked for who it is.
const unknownReader user.ID = -1

// readers adds for whom messages were read from the start that are their senders' in no other way: notices of what
// somebody did.
func (s store) readers(ctx context.Context, fs []fact) error {
	var asked []message.ID
	for _, f := range fs {
		if f.ReadFor == unknownReader {
			asked = append(asked, f.ID)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	found := make(map[message.ID]user.ID, len(asked))
	for some := range slices.Chunk(asked, block) {
		var rows []struct {
			ID      message.ID
			ReadFor user.ID
		}
		if err := s.db.From(ctx).NewSelect().Table("messages").Column("id", "read_for").Where("id IN (?)", bun.List(some)).Scan(ctx, &rows); err != nil {
			return err
		}
		for _, r := range rows {
			found[r.ID] = r.ReadFor
		}
	}
	for i := range fs {
		if fs[i].ReadFor == unknownReader {
			fs[i].ReadFor = found[fs[i].ID]
		}
	}
	return nil
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
func (s store) Above(
	ctx context.Context,
	in []message.Recipient,
	after, to message.ID,
	limit int,
	newest bool,
) ([]fact, error) {
	if len(in) == 0 {
		return nil, nil
	}
	order := "id ASC"
	if newest {
		order = "id DESC"
	}
	return s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("recipient_id IN (?)", bun.List(in)).
			Where("id > ?", after).
			Where("id <= ?", to).
			OrderExpr(order).
			Limit(int64(limit))
	})
}

// By gives the oldest messages of a sender with ids above after, at most limit, ascending.
func (s store) By(ctx context.Context, r realm.ID, sender user.ID, after message.ID, limit int) ([]fact, error) {
	return s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("sender_id = ?", sender).
			Where("id > ?", after).
			Where("realm_id = ?", r).
			Order("id").
			Limit(int64(limit))
	})
}

// Notices gives the oldest resolve notices of a realm with ids above after, at most limit, ascending.
func (s store) Notices(ctx context.Context, r realm.ID, after message.ID, limit int) ([]fact, error) {
	return s.facts(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("notice = 1").Where("realm_id = ?", r).Where("id > ?", after).Order("id").Limit(int64(limit))
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

// HasOwn tells whether somebody has flags of a message in a topic, or has received one there that was never moved
// between channels: of others ids do not tell.
func (s store) HasOwn(ctx context.Context, u user.ID, in message.Recipient, topicKey string) (has bool, err error) {
	err = s.db.From(ctx).NewRaw(`SELECT EXISTS (
		SELECT 1 FROM messages m WHERE m.recipient_id = ?in AND m.topic_key = ?topic AND EXISTS (
			SELECT 1 FROM message_flags f WHERE f.user_id = ?user AND f.message_id = m.id)
		) OR EXISTS (
		SELECT 1 FROM subscription_periods p JOIN messages m ON m.recipient_id = p.recipient_id AND m.id > p.from_msg AND m.id <= COALESCE(p.to_msg, ?never)
			WHERE p.user_id = ?user AND p.recipient_id = ?in AND m.topic_key = ?topic AND (m.facts & ?crossed) = 0)`, struct {
		User    user.ID
		In      message.Recipient
		Topic   string
		Never   message.ID
		Crossed message.Facts
	}{u, in, topicKey, never, message.Crossed}).Scan(ctx, &has)
	return has, err
}
