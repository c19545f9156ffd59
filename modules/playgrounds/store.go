package playgrounds

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/playground"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:playgrounds,alias:p"`
	ID            playground.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	Name          string `export:"yes"`
	Language      string `export:"yes"`
	URLTemplate   string `bun:"url_template" export:"yes"`
}

// All returns a realm's playgrounds, sorted by ID. The configuration limits their number.
func (s store) All(ctx context.Context, r realm.ID) ([]playground.Playground, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("id").Scan(ctx)
	out := make([]playground.Playground, len(rows))
	for i, p := range rows {
		out[i] = playground.Playground{ID: p.ID, Name: p.Name, Language: p.Language, URLTemplate: p.URLTemplate}
	}
	return out, err
}

// Insert stores a new playground and sets its ID. Errors: BadRequest if the language already has a playground with this
// name.
func (s store) Insert(ctx context.Context, r realm.ID, p *playground.Playground) error {
	err := s.db.From(ctx).
		NewInsert().
		Model(&row{RealmID: r, Name: p.Name, Language: p.Language, URLTemplate: p.URLTemplate}).
		On("CONFLICT (realm_id, language, name) DO NOTHING").
		Returning("id").
		Scan(ctx, &p.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return playground.ErrExists()
	}
	return err
}

// Delete deletes a playground and returns its language. Errors: BadRequest if it does not exist.
func (s store) Delete(ctx context.Context, r realm.ID, id playground.ID) (language string, err error) {
	err = s.db.From(ctx).
		NewDelete().
		Model((*row)(nil)).
		Where("id = ?", id).
		Where("realm_id = ?", r).
		Returning("language").
		Scan(ctx, &language)
	if errors.Is(err, sql.ErrNoRows) {
		return "", errs.Bad("Invalid playground")
	}
	return language, err
}
