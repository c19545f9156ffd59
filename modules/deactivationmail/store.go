package deactivationmail

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// row is an email that is queued or was sent recently.
type row struct {
	bun.BaseModel `bun:"table:deactivation_mails,alias:f"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	Comment       string
	CreatedAt     time.Time
}

// Add stores an email and sets its ID.
func (s store) Add(ctx context.Context, r *row) error {
	return s.db.From(ctx).NewInsert().Model(r).ExcludeColumn("id").Returning("id").Scan(ctx, &r.ID)
}

// Get returns an email, or nil.
func (s store) Get(ctx context.Context, id int64) (*row, error) {
	var rows []*row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("f.id = ?", id).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// Drop deletes the emails to a user.
func (s store) Drop(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}

// DropBefore deletes emails created before a time.
func (s store) DropBefore(ctx context.Context, at time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("created_at < ?", at).Exec(ctx)
	return err
}
