package jwtlogin

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

// usedToken is a token that has been used.
type usedToken struct {
	bun.BaseModel `bun:"table:jwt_tokens,alias:t"`
	RealmID       realm.ID `bun:",pk"`
	Hash          string   `bun:",pk"` // SHA-256 of the claim jti, or of what is signed
	EndsAt        int64    // Unix seconds
}

// Use remembers a token until it expires, and reports whether it was used for the first time.
func (s store) Use(ctx context.Context, r realm.ID, hash string, until time.Time) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewInsert().Model(&usedToken{RealmID: r, Hash: hash, EndsAt: until.Unix()}).
		On("CONFLICT (realm_id, hash) DO NOTHING").Exec(ctx))
	return n > 0, err
}

// Forget deletes the tokens that have expired.
func (s store) Forget(ctx context.Context, now time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*usedToken)(nil)).Where("ends_at < ?", now.Unix()).Exec(ctx)
	return err
}
