package mailin

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// reply is the row of a reply address.
type reply struct {
	bun.BaseModel `bun:"table:mailin_replies,alias:r"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	MessageID     message.ID
	CreatedAt     time.Time
}

// Upsert stores an address and returns its ID. If the user already has an address for the message, Upsert renews it.
func (s store) Upsert(ctx context.Context, r reply) (int64, error) {
	_, err := s.db.From(ctx).NewInsert().Model(&r).On("CONFLICT (user_id, message_id) DO UPDATE").
		Set("created_at = EXCLUDED.created_at").Returning("id").Exec(ctx)
	return r.ID, err
}

// ByID returns an address, or nil.
func (s store) ByID(ctx context.Context, id int64) (*reply, error) {
	var r reply
	return bunstore.OrNil(&r, s.db.From(ctx).NewSelect().Model(&r).Where("id = ?", id).Scan(ctx))
}

// Prune deletes addresses created before the given time.
func (s store) Prune(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*reply)(nil)).Where("created_at < ?", before).Exec(ctx)
	return err
}
