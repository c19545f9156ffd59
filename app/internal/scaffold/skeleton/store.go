package skeleton

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type row struct {
	bun.BaseModel `bun:"table:skeleton_items"`
	ID            int64 `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	UserID        user.ID `export:"yes,consent" person:"row"`
	Text          string  `export:"yes"`
}

type store struct{ db *bunstore.DB }

// Of returns a user's items, oldest first. Config.MaxPerUser limits their number.
func (s store) Of(ctx context.Context, u user.ID) ([]item, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Order("id").Scan(ctx)
	all := make([]item, len(rows))
	for i, r := range rows {
		all[i] = item{r.ID, r.Text}
	}
	return all, err
}

// Count returns the number of a user's items.
func (s store) Count(ctx context.Context, u user.ID) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("user_id = ?", u).Count(ctx)
}

// Insert stores an item and returns its ID.
func (s store) Insert(ctx context.Context, r realm.ID, u user.ID, text string) (int64, error) {
	one := row{RealmID: r, UserID: u, Text: text}
	_, err := s.db.From(ctx).NewInsert().Model(&one).Returning("id").Exec(ctx)
	return one.ID, err
}

// Delete deletes an item of a user, and reports whether it existed.
func (s store) Delete(ctx context.Context, u user.ID, id int64) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).
		Where("id = ?", id).Exec(ctx))
}

// DeleteOf deletes all items of a user.
func (s store) DeleteOf(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
