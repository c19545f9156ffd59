package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// Retention stores the progress of deleting old direct messages.
type Retention struct{ db *bunstore.DB }

// SentAt returns the times at which messages were sent, by ID. It omits missing messages.
func (s *Store) SentAt(ctx context.Context, ids []message.ID) (map[message.ID]time.Time, error) {
	out := make(map[message.ID]time.Time, len(ids))
	for len(ids) > 0 {
		part := ids[:min(len(ids), perList)]
		ids = ids[len(part):]
		var rows []row
		err := s.db.From(ctx).NewSelect().Model(&rows).Column("id", "sent_at").
			Where("m.id IN (?)", bun.List(part)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			out[rows[i].ID] = rows[i].SentAt
		}
	}
	return out, nil
}

// SentBefore returns at most limit of a conversation's messages in a stretch that were sent before the given time,
// oldest first.
func (s *Store) SentBefore(
	ctx context.Context, r message.Recipient, in Range, at time.Time, limit int,
) ([]message.ID, error) {
	var rows []row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Column("id", "sent_at").
		Where("m.recipient_id = ?", r).
		Where("m.id BETWEEN ? AND ?", in.From, in.To).
		Order("m.id").
		Limit(int64(limit)).
		Scan(ctx)
	var ids []message.ID
	for i := range rows {
		if rows[i].SentAt.Before(at) {
			ids = append(ids, rows[i].ID)
		}
	}
	return ids, err
}

// Before returns at most limit of a realm's direct messages with IDs in [from, to] that were sent before the given
// time, in ascending order.
func (s *Retention) Before(
	ctx context.Context,
	r realm.ID,
	from, to message.ID,
	at time.Time,
	limit int,
) ([]message.ID, error) {
	var ids []message.ID
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id").Where("m.id BETWEEN ? AND ?", from, to).
		Where("m.realm_id = ?", r).
		Where("(m.recipient_id & 1) = 1").Where("m.sent_at < ?", at).Order("m.id").Limit(int64(limit)).Scan(ctx, &ids)
	return ids, err
}

// retained is what earlier versions store instead of stretch.DirectUpto.
type retained struct {
	bun.BaseModel `bun:"table:message_retention,alias:t"`
	Realm         realm.ID   `bun:"realm_id,pk"`
	DirectUpto    message.ID `bun:"direct_upto"`
}

// Upto returns the ID up to which a stretch of a realm has no direct messages that are too old.
func (s *Retention) Upto(ctx context.Context, r realm.ID, in Range) (message.ID, error) {
	var ids []message.ID
	err := s.db.From(ctx).NewSelect().Model((*stretch)(nil)).Column("direct_upto").Where("realm_id = ?", r).
		Where("from_id = ?", in.From).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return in.From - 1, err
	}
	return max(ids[0], in.From-1), nil
}

// SetUpto stores the ID that Upto returns.
func (s *Retention) SetUpto(ctx context.Context, r realm.ID, in Range, upto message.ID) error {
	_, err := s.db.From(ctx).NewInsert().Model(&stretch{Realm: r, From: in.From, DirectUpto: upto}).
		On("CONFLICT (realm_id, from_id) DO UPDATE").Set("direct_upto = EXCLUDED.direct_upto").Exec(ctx)
	return err
}

// After returns at most limit messages of all realms after an ID, in ascending order. Only ID, Realm, Recipient and
// SentAt are set.
func (s *Store) After(ctx context.Context, id message.ID, limit int) ([]message.Message, error) {
	var rows []row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Column("id", "realm_id", "recipient_id", "sent_at").
		Where("m.id > ?", id).
		Order("m.id").
		Limit(int64(limit)).
		Scan(ctx)
	out := make([]message.Message, len(rows))
	for i := range rows {
		out[i] = rows[i].message()
	}
	return out, err
}
