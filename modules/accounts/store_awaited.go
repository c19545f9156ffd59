package accounts

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/user"
)

type awaitedRow struct {
	bun.BaseModel `bun:"table:awaited_users,alias:w"`
	UserID        user.ID `bun:",pk" owner:"user"`
}

// SetAwaitingLogin records that a new user has not logged in yet.
func (s store) SetAwaitingLogin(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewInsert().Model(&awaitedRow{UserID: u}).Exec(ctx)
	return err
}

// ClearAwaitingLogin deletes the record made by SetAwaitingLogin and reports whether it existed.
func (s store) ClearAwaitingLogin(ctx context.Context, u user.ID) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*awaitedRow)(nil)).Where("user_id = ?", u).Exec(ctx))
}
