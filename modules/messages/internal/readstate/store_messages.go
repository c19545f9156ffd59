package readstate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// factStore reads facts from the rows of messages.
type factStore struct {
	db    *bunstore.DB
	inbox *inbox.Store
}

// block is the maximum number of rows or IDs per statement.
const block = 1000

// head returns the highest message ID on the server, or 0. The next message of any realm has a higher ID.
func (s factStore) head(ctx context.Context) (message.ID, error) {
	var id message.ID
	err := s.db.From(ctx).NewSelect().Table("messages").ColumnExpr("COALESCE(MAX(id), 0)").Scan(ctx, &id)
	return id, err
}

// read reads the rows that more selects.
func (s factStore) read(ctx context.Context, more func(q *bun.SelectQuery) *bun.SelectQuery) ([]fact, error) {
	return s.readFrom(ctx, "messages", more)
}

// readFrom is read from a table expression for messages. There may be tens of thousands, and each column has a cost,
// so small values are combined into one number, and rare values are read afterwards.
func (s factStore) readFrom(
	ctx context.Context, table string, more func(q *bun.SelectQuery) *bun.SelectQuery,
) ([]fact, error) {
	q := s.db.From(ctx).NewSelect().TableExpr(table).ColumnExpr(`id * ? + facts + CASE WHEN notice = 1 THEN ? ELSE 0 END +
		CASE WHEN read_for IS NULL THEN 0 WHEN read_for = sender_id THEN ? ELSE ? END`,
		idUnit, isNotice, readSelf, readOther).
		Column("recipient_id", "sender_id", "topic")
	var blocks [][]fact // a single growing slice would be copied repeatedly
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
	if err := s.addReaders(ctx, out); err != nil {
		return nil, err
	}
	return out, s.addMoves(ctx, out)
}

// The combined number of a row is the ID times idUnit, plus message.Facts, plus the values below.
const (
	isNotice  = 1 << 16
	readSelf  = 1 << 17
	readOther = 1 << 18
	idUnit    = 1 << 20
)

// unknownReader stands for a ReadFor other than the sender until addReaders has loaded it.
const unknownReader user.ID = -1

// addReaders sets ReadFor in messages that are initially read for a user other than the sender: notices about that
// user's actions.
func (s factStore) addReaders(ctx context.Context, fs []fact) error {
	var ids []message.ID
	for _, f := range fs {
		if f.ReadFor == unknownReader {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found := make(map[message.ID]user.ID, len(ids))
	for some := range slices.Chunk(ids, block) {
		var rows []struct {
			ID      message.ID
			ReadFor user.ID
		}
		err := s.db.From(ctx).NewSelect().Table("messages").Column("id", "read_for").
			Where("id IN (?)", bun.List(some)).Scan(ctx, &rows)
		if err != nil {
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

// byID returns those of a realm's messages that have the given IDs, ascending.
func (s factStore) byID(ctx context.Context, r realm.ID, ids []message.ID) ([]fact, error) {
	var all []fact
	for some := range slices.Chunk(ids, block) {
		got, err := s.read(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("id IN (?)", bun.List(some)).Where("realm_id = ?", r).Order("id")
		})
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return all, nil
}

// span returns all of a realm's messages with IDs in (after, to], ascending.
func (s factStore) span(ctx context.Context, r realm.ID, after, to message.ID) ([]fact, error) {
	return s.read(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("id > ?", after).Where("id <= ?", to).Where("realm_id = ?", r).Order("id")
	})
}

// any reports whether a realm has messages with IDs in (after, to].
func (s factStore) any(ctx context.Context, r realm.ID, after, to message.ID) (bool, error) {
	return s.db.From(ctx).NewSelect().Table("messages").Where("id > ?", after).Where("id <= ?", to).
		Where("realm_id = ?", r).Exists(ctx)
}

// between returns the messages of the conversations with IDs in (after, to], ascending.
func (s factStore) between(ctx context.Context, in []message.Recipient, after, to message.ID) ([]fact, error) {
	var all []fact
	for some := range slices.Chunk(in, block) {
		rows := make([]string, len(some))
		for i, r := range some {
			rows[i] = fmt.Sprintf("(%d)", r)
		}
		condition := fmt.Sprintf("m.recipient_id = s.column1 AND m.id > %d AND m.id <= %d", after, to)
		table := fmt.Sprintf("(VALUES %s) AS s %s", strings.Join(rows, ", "),
			s.db.EachIn("messages", "m", "messages_recipient", condition))
		fs, err := s.readFrom(ctx, table, func(q *bun.SelectQuery) *bun.SelectQuery { return q })
		if err != nil {
			return nil, err
		}
		all = append(all, fs...)
	}
	slices.SortFunc(all, func(a, b fact) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// oldest returns at most limit of the oldest messages of the conversations with IDs in (after, to], ascending, and the
// ID up to which these are all.
func (s factStore) oldest(
	ctx context.Context, in []message.Recipient, after, to, window message.ID, limit int,
) (found []fact, upto message.ID, err error) {
	w := newWindow(after, to, window, false)
	for len(found) < limit && w.next(len(found), limit) {
		fs, err := s.between(ctx, in, w.after, w.to)
		if err != nil {
			return nil, 0, err
		}
		found = append(found, fs...)
	}
	if len(found) >= limit {
		found = found[:limit]
		return found, found[limit-1].ID, nil
	}
	return found, to, nil
}

// bySender returns at most limit of a sender's oldest messages with IDs above after, ascending.
func (s factStore) bySender(
	ctx context.Context, r realm.ID, sender user.ID, after message.ID, limit int,
) ([]fact, error) {
	return s.read(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("sender_id = ?", sender).
			Where("id > ?", after).
			Where("realm_id = ?", r).
			Order("id").
			Limit(int64(limit))
	})
}

// notices returns at most limit of a realm's oldest resolve notices with IDs above after, ascending.
func (s factStore) notices(ctx context.Context, r realm.ID, after message.ID, limit int) ([]fact, error) {
	from := s.db.ByIndex("messages", "m", "messages_notices")
	return s.readFrom(ctx, from, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("notice = 1").Where("realm_id = ?", r).Where("id > ?", after).Order("id").Limit(int64(limit))
	})
}

// inPlace returns the messages of a channel or topic with IDs in (after, to], ascending.
func (s factStore) inPlace(ctx context.Context, p place, after, to message.ID) ([]fact, error) {
	return s.read(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("recipient_id = ?", p.Recipient).Where("id > ?", after).Where("id <= ?", to).Order("id")
		if p.TopicKey != nil {
			q = q.Where("topic_key = ?", *p.TopicKey)
		}
		return q
	})
}

// haveFewer reports whether a channel or topic has fewer than limit messages with IDs in (after, to].
func (s factStore) haveFewer(ctx context.Context, p place, after, to message.ID, limit int) (bool, error) {
	some := s.db.From(ctx).NewSelect().Table("messages").ColumnExpr("1").Where("recipient_id = ?", p.Recipient).
		Where("id > ?", after).Where("id <= ?", to).Limit(int64(limit))
	if p.TopicKey != nil {
		some = some.Where("topic_key = ?", *p.TopicKey)
	}
	n := 0
	err := s.db.From(ctx).NewSelect().TableExpr("(?) AS found", some).ColumnExpr("COUNT(*)").Scan(ctx, &n)
	return n < limit, err
}

// addMoves sets Moves in messages that were moved between channels.
func (s factStore) addMoves(ctx context.Context, fs []fact) error {
	var moved []message.ID
	for _, f := range fs {
		if f.Facts&message.MovedChannel != 0 {
			moved = append(moved, f.ID)
		}
	}
	moves, err := s.inbox.Moves(ctx, moved)
	if err != nil || len(moves) == 0 {
		return err
	}
	for i := range fs {
		fs[i].Moves = moves[fs[i].ID]
	}
	return nil
}
