package store

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Exports reads messages and flags for exports.
type Exports struct{ db *bunstore.DB }

// Position is a position in the messages of several conversations, ordered by conversation and ID.
type Position struct {
	Recipient message.Recipient
	ID        message.ID
}

// Messages returns at most limit messages of conversations after a mark that were sent no later than until.
func (s *Exports) Messages(
	ctx context.Context,
	of []message.Recipient,
	after Position,
	until time.Time,
	limit int,
) ([]message.Message, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("m.recipient_id IN (?)", bun.List(of)).
		Where("(m.recipient_id, m.id) > (?, ?)", after.Recipient, after.ID).Where("m.sent_at <= ?", until).
		Order("m.recipient_id", "m.id").Limit(int64(limit)).Scan(ctx)
	out := make([]message.Message, len(rows))
	for i := range rows {
		out[i] = rows[i].message()
	}
	return out, err
}

// Span returns when the first and the last of a conversation's messages in a range were sent, or zero times.
func (s *Exports) Span(ctx context.Context, r message.Recipient, in Range) (first, last time.Time, err error) {
	for order, at := range map[string]*time.Time{"m.id": &first, "m.id DESC": &last} {
		var one row
		err := s.db.From(ctx).NewSelect().Model(&one).Column("sent_at").Where("m.recipient_id = ?", r).
			Where("m.id BETWEEN ? AND ?", in.From, in.To).Order(order).Limit(1).Scan(ctx)
		if err := bunstore.IgnoreNoRows(err); err != nil {
			return first, last, err
		}
		*at = one.SentAt
	}
	return first, last, nil
}

// DirectFrom returns at most limit of a realm's direct conversations from a given one on, in order.
func (s *Exports) DirectFrom(
	ctx context.Context,
	r realm.ID,
	from message.Recipient,
	limit int,
) ([]message.Recipient, error) {
	var ids []int64
	err := s.db.From(ctx).
		NewSelect().
		Model((*conversation)(nil)).
		Column("id").
		Where("realm_id = ?", r).
		Where("id >= ?", int64(from>>1)).
		Order("id").
		Limit(int64(limit)).
		Scan(ctx, &ids)
	out := make([]message.Recipient, len(ids))
	for i, id := range ids {
		out[i] = message.OfDirect(id)
	}
	return out, err
}

// CountIn returns the number of messages in conversations, or limit if there are more.
func (s *Exports) CountIn(ctx context.Context, of []message.Recipient, limit int64) (int64, error) {
	var n int64
	for part := range slices.Chunk(of, perList) {
		if n >= limit {
			break
		}
		some := s.db.From(ctx).
			NewSelect().
			Model((*row)(nil)).
			ColumnExpr("1").
			Where("m.recipient_id IN (?)", bun.List(part)).
			Limit(limit - n)
		var more int64
		if err := s.db.From(ctx).NewSelect().TableExpr("(?) AS s", some).ColumnExpr("COUNT(*)").Scan(ctx, &more); err != nil {
			return 0, err
		}
		n += more
	}
	return n, nil
}

// CountDirect returns the number of a realm's direct messages, or limit if there are more.
func (s *Exports) CountDirect(ctx context.Context, r realm.ID, limit int64) (int64, error) {
	some := s.db.From(ctx).NewSelect().Model((*conversation)(nil)).ColumnExpr("1").
		Join("JOIN messages AS m ON m.recipient_id = 2 * conversation.id + 1").
		Where("conversation.realm_id = ?", r).Limit(max(0, limit))
	var n int64
	err := s.db.From(ctx).NewSelect().TableExpr("(?) AS s", some).ColumnExpr("COUNT(*)").Scan(ctx, &n)
	return n, err
}

// Flagged contains a user's flags for a message.
type Flagged struct {
	User    user.ID      `bun:"user_id"`
	Message message.ID   `bun:"message_id"`
	Flags   message.Flag `bun:"flags"`
}

// Flags returns at most limit of the users' flags after the given one, ordered by user and message.
func (s *Exports) Flags(ctx context.Context, us []user.ID, after Flagged, limit int) ([]Flagged, error) {
	var out []Flagged
	err := s.db.From(ctx).NewSelect().TableExpr("message_flags AS f").ColumnExpr("f.user_id, f.message_id, f.flags").
		Where("f.user_id IN (?)", bun.List(us)).Where("(f.user_id, f.message_id) > (?, ?)", after.User, after.Message).
		OrderExpr("f.user_id, f.message_id").Limit(int64(limit)).Scan(ctx, &out)
	return out, err
}
