package saml

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

// assertion is an assertion or another message that has been used.
type assertion struct {
	bun.BaseModel `bun:"table:saml_assertions,alias:a"`
	RealmID       realm.ID `bun:",pk"`
	Hash          string   `bun:",pk"` // SHA-256 of the provider and the message's ID
	EndsAt        int64    // Unix seconds
}

// Use remembers an assertion until a time, and reports whether it was used for the first time.
func (s store) Use(ctx context.Context, r realm.ID, hash string, until time.Time) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewInsert().Model(&assertion{RealmID: r, Hash: hash, EndsAt: until.Unix()}).
		On("CONFLICT (realm_id, hash) DO NOTHING").Exec(ctx))
	return n > 0, err
}

// Forget deletes the assertions that nobody would accept any more.
func (s store) Forget(ctx context.Context, now time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*assertion)(nil)).Where("ends_at < ?", now.Unix()).Exec(ctx)
	return err
}
