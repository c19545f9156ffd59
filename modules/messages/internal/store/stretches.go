package store

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// stretch is the beginning of a range of IDs in which the times of a realm's messages rise. The range ends before the
// next one begins. The first one begins at 1, with or without a row.
type stretch struct {
	bun.BaseModel `bun:"table:message_stretches,alias:h"`
	Realm         realm.ID   `bun:"realm_id,pk"`
	From          message.ID `bun:"from_id,pk"`
	DirectUpto    message.ID
}

// Stretches returns the ranges of IDs in which the times of a realm's messages rise, in order. There is one, unless
// messages of the past were imported after others had been sent.
func (s *Store) Stretches(ctx context.Context, r realm.ID) ([]Range, error) {
	var rows []stretch
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("from_id").Where("realm_id = ?", r).Where("from_id > 1").
		Order("from_id").Scan(ctx)
	all := []Range{{From: 1, To: message.MaxID}}
	for _, h := range rows {
		all[len(all)-1].To = h.From - 1
		all = append(all, Range{From: h.From, To: message.MaxID})
	}
	return all, err
}

// Mixed returns the realms with several stretches.
func (s *Store) Mixed(ctx context.Context) ([]realm.ID, error) {
	var all []realm.ID
	err := s.db.From(ctx).NewSelect().Model((*stretch)(nil)).ColumnExpr("DISTINCT realm_id").Where("from_id > 1").
		Order("realm_id").Scan(ctx, &all)
	return all, err
}

// BeginStretch begins a stretch with messages that are about to be imported into a realm, the first of which has this
// ID and time, if others have later times. The realm must be locked.
func (s *Store) BeginStretch(ctx context.Context, r realm.ID, first message.ID, at time.Time) error {
	var newest row
	err := s.db.From(ctx).NewSelect().Model(&newest).ModelTableExpr(s.db.ByIndex("messages", "m", "messages_realm")).
		Column("id", "sent_at").Where("m.realm_id = ?", r).Where("m.id < ?", first).Order("m.id DESC").Limit(1).Scan(ctx)
	if err := bunstore.IgnoreNoRows(err); err != nil || newest.ID == 0 || !at.Before(newest.SentAt) {
		return err
	}
	_, err = s.db.From(ctx).NewInsert().Model(&stretch{Realm: r, From: first}).Exec(ctx)
	return err
}

// Since returns the ranges of IDs in which a realm's messages were sent at or after a time. All others are earlier.
func (s *Store) Since(ctx context.Context, r realm.ID, at time.Time) ([]Range, error) {
	all, err := s.Stretches(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []Range
	for _, in := range all {
		first, _, err := s.firstIn(ctx, r, in, at)
		if err != nil {
			return nil, err
		}
		if first != 0 {
			out = append(out, Range{From: first, To: in.To})
		}
	}
	return out, nil
}

// firstIn returns the ID of a realm's first message in a stretch that was sent at or after a time, or 0, and whether
// there are earlier ones.
func (s *Store) firstIn(ctx context.Context, r realm.ID, in Range, at time.Time) (message.ID, bool, error) {
	return s.bisect(ctx, in, at, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.ModelTableExpr(s.db.ByIndex("messages", "m", "messages_realm")).Where("m.realm_id = ?", r)
	})
}

// LastBefore returns an ID such that no message of a realm's stretch with a higher ID was sent before a time.
func (s *Store) LastBefore(ctx context.Context, r realm.ID, in Range, at time.Time) (message.ID, error) {
	first, _, err := s.firstIn(ctx, r, in, at)
	if err != nil || first != 0 {
		return first - 1, err
	}
	newest, err := s.Newest(ctx)
	return min(newest, in.To), err
}

// FirstIn returns the ID of the first message of a topic that was sent at or after a time, or 0, and whether the topic
// has earlier ones. If it has messages of several stretches, only the last one counts.
func (s *Store) FirstIn(
	ctx context.Context, r realm.ID, in message.Recipient, topicKey string, at time.Time,
) (first message.ID, older bool, err error) {
	all, err := s.Stretches(ctx, r)
	if err != nil {
		return 0, false, err
	}
	for _, in1 := range slices.Backward(all) {
		first, older, err = s.bisect(ctx, in1, at, func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("m.recipient_id = ?", in).Where("m.topic_key = ?", topicKey)
		})
		if err != nil || first != 0 || older {
			return first, older || in1.From > 1, err
		}
	}
	return 0, false, nil
}

// bisect finds the first message in a range that was sent at or after a time, among messages that filter selects, which
// an index must return in the order of their IDs and whose times must rise with them.
func (s *Store) bisect(
	ctx context.Context, in Range, at time.Time, filter func(*bun.SelectQuery) *bun.SelectQuery,
) (first message.ID, older bool, err error) {
	query := func(from message.ID, order string) (row, error) {
		var one row
		q := filter(s.db.From(ctx).NewSelect().Model(&one)).Column("id", "sent_at").
			Where("m.id BETWEEN ? AND ?", from, in.To)
		err := q.Order(order).Limit(1).Scan(ctx)
		return one, bunstore.IgnoreNoRows(err)
	}
	oldest, err := query(in.From, "m.id")
	if err != nil || oldest.ID == 0 || !oldest.SentAt.Before(at) {
		return oldest.ID, false, err
	}
	newest, err := query(in.From, "m.id DESC")
	if err != nil || newest.SentAt.Before(at) {
		return 0, true, err
	}
	first = newest.ID
	for low, high := oldest.ID+1, first-1; low <= high; {
		mid := low + (high-low)/2
		next, err := query(mid, "m.id")
		switch {
		case err != nil:
			return 0, true, err
		case next.ID == 0: // the newest message was deleted in the meantime
			high = mid - 1
		case next.SentAt.Before(at):
			low = next.ID + 1
		default:
			first, high = next.ID, mid-1
		}
	}
	return first, true, nil
}
