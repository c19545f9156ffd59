package emoji

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:custom_emoji,alias:e"`
	ID            emoji.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	Name          string  `export:"yes"`
	Source        string  `export:"yes"`
	Still         string  `export:"yes"`
	AuthorID      user.ID `export:"yes" person:"id"`
	Deactivated   bool    `export:"yes"`
}

// Load returns a realm's custom emoji.
func (s store) Load(ctx context.Context, r realm.ID) (*emoji.Index, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("id").Scan(ctx)
	all := make([]*emoji.Custom, len(rows))
	for i, e := range rows {
		all[i] = &emoji.Custom{
			ID: e.ID, Name: e.Name, Source: e.Source, Still: e.Still, Author: e.AuthorID, Deactivated: e.Deactivated,
		}
	}
	return emoji.NewIndex(all...), err
}

// Insert stores a new emoji and sets its ID. The caller has checked that the view has no active emoji with this name,
// and the commit fails if the view has changed.
func (s store) Insert(ctx context.Context, r realm.ID, e *emoji.Custom) error {
	return s.db.From(ctx).
		NewInsert().
		Model(&row{
			RealmID: r, Name: e.Name, Source: e.Source, Still: e.Still, AuthorID: e.Author, Deactivated: e.Deactivated,
		}).
		Returning("id").
		Scan(ctx, &e.ID)
}

// Deactivate deactivates an emoji.
func (s store) Deactivate(ctx context.Context, r realm.ID, id emoji.ID) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("deactivated = ?", true).
		Where("id = ?", id).
		Where("realm_id = ?", r).
		Exec(ctx)
	return err
}
