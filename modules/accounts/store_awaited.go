package accounts

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/user"
)

type awaitedRow struct {
	bun.BaseModel `bun:"table:awaited_users,alias:w"`
	UserID        user.ID `bun:",pk"`
}

// Await records that a new user has not logged in yet.
func (s store) Await(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewInsert().Model(&awaitedRow{UserID: u}).Exec(ctx)
	return err
}

// Arrive deletes the record of Await and reports whether it existed.
func (s store) Arrive(ctx context.Context, u user.ID) (bool, error) {
	res, err := s.db.From(ctx).NewDelete().Model((*awaitedRow)(nil)).Where("user_id = ?", u).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
