package birthdays

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/uptrace/bun"
)

type row struct {
	bun.BaseModel `bun:"table:birthdays"`
	UserID        user.ID `bun:",pk"`
	RealmID       realm.ID
	Day           string
}

type store struct{ db *bunstore.DB }

func (s store) All(ctx context.Context, r realm.ID, limit int) ([]birthday, error) {
	all := []birthday{}
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("user_id", "day").
		Where("realm_id = ?", r).Order("user_id").Limit(int64(limit)).Scan(ctx, &all)
	return all, err
}

func (s store) Set(ctx context.Context, r realm.ID, b birthday) error {
	_, err := s.db.From(ctx).NewInsert().Model(&row{UserID: b.UserID, RealmID: r, Day: b.Day}).
		On("CONFLICT (user_id) DO UPDATE").Exec(ctx)
	return err
}

func (s store) Remove(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
