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
	UserID        user.ID `bun:",pk" export:"yes,consent" person:"row"`
	RealmID       realm.ID
	Day           string `export:"yes"`
}

type store struct{ db *bunstore.DB }

// Load reads a realm's birthdays for the view.
func (s store) Load(ctx context.Context, r realm.ID) (map[user.ID]*birthday, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx)
	all := make(map[user.ID]*birthday, len(rows))
	for _, row := range rows {
		all[row.UserID] = &birthday{row.UserID, row.Day}
	}
	return all, err
}

// Set stores a birthday.
func (s store) Set(ctx context.Context, r realm.ID, b birthday) error {
	_, err := s.db.From(ctx).NewInsert().Model(&row{UserID: b.UserID, RealmID: r, Day: b.Day}).
		On("CONFLICT (user_id) DO UPDATE").Exec(ctx)
	return err
}

// Remove deletes a user's birthday.
func (s store) Remove(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
