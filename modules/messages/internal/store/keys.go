package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Keys stores the idempotency keys of sent messages.
type Keys struct{ db *bunstore.DB }

// Key is a sender's idempotency key and the message that it identifies. Repeated requests receive the ID of that
// message.
type Key struct {
	bun.BaseModel `bun:"table:send_keys"`
	User          user.ID    `bun:"user_id,pk" owner:"user"`
	Key           string     `bun:",pk"` // hashed
	Body          string     // hash of the request
	Message       message.ID `bun:"message_id"`
	At            time.Time
}

// Known returns the stored keys among the given ones.
func (s *Keys) Known(ctx context.Context, keys []Key) ([]Key, error) {
	var known []Key
	if len(keys) == 0 {
		return nil, nil
	}
	pairs := make([][]any, len(keys))
	for i, k := range keys {
		pairs[i] = []any{k.User, k.Key}
	}
	err := s.db.From(ctx).NewSelect().Model(&known).Where("(user_id, key) IN (?)", bunstore.Tuples(pairs)).Scan(ctx)
	return known, err
}

// Store stores keys. If newKeys is set, they are assumed to be new, and the transaction fails if one is not. Otherwise,
// a key that was used before identifies the newer message from now on.
func (s *Keys) Store(ctx context.Context, keys []Key, newKeys bool) error {
	if len(keys) == 0 {
		return nil
	}
	q := s.db.From(ctx).NewInsert().Model(&keys)
	if !newKeys {
		q = q.On("CONFLICT (user_id, key) DO UPDATE").
			Set("body = EXCLUDED.body, message_id = EXCLUDED.message_id, at = EXCLUDED.at")
	}
	return s.db.Later(ctx, q)
}

// DeleteBefore deletes at most limit keys used before the given time and returns their number.
func (s *Keys) DeleteBefore(ctx context.Context, before time.Time, limit int) (int64, error) {
	return bunstore.Affected(s.db.From(ctx).NewRaw(`DELETE FROM send_keys WHERE (user_id, key) IN
		(SELECT user_id, key FROM send_keys WHERE at < ? ORDER BY at LIMIT ?)`, before, limit).Exec(ctx))
}
