package linkifiers

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel   `bun:"table:linkifiers,alias:l"`
	ID              linkifier.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID         realm.ID
	Position        int64   `export:"yes"`
	Pattern         string  `export:"yes"`
	URLTemplate     string  `bun:"url_template" export:"yes"`
	ExampleInput    *string `export:"yes"`
	ReverseTemplate *string `export:"yes"`
	Alternatives    string  `bun:"type:text" export:"yes,json"`
}

// adapt leaves an imported linkifier as it is: it contains no IDs.
func adapt(importing.Mapping, *row) (bool, error) { return true, nil }

func toRow(r realm.ID, l *linkifier.Linkifier) (*row, error) {
	alternatives, err := json.Marshal(l.Alternatives)
	return &row{
		ID: l.ID, RealmID: r, Position: l.Order, Pattern: l.Pattern, URLTemplate: l.URLTemplate, ExampleInput: l.ExampleInput,
		ReverseTemplate: l.Reverse, Alternatives: string(alternatives),
	}, err
}

// Load returns a realm's linkifiers.
func (s store) Load(ctx context.Context, r realm.ID) (*linkifier.List, error) {
	var rows []row
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	all := make([]*linkifier.Linkifier, len(rows))
	for i, row := range rows {
		l := &linkifier.Linkifier{
			ID: row.ID, Order: row.Position, Pattern: row.Pattern, URLTemplate: row.URLTemplate, ExampleInput: row.ExampleInput,
			Reverse: row.ReverseTemplate,
		}
		if err := json.Unmarshal([]byte(row.Alternatives), &l.Alternatives); err != nil {
			return nil, err
		}
		all[i] = l
	}
	return linkifier.NewList(all...), nil
}

// Insert stores a new linkifier and sets its ID.
func (s store) Insert(ctx context.Context, r realm.ID, l *linkifier.Linkifier) error {
	row, err := toRow(r, l)
	if err != nil {
		return err
	}
	return s.db.From(ctx).NewInsert().Model(row).Returning("id").Scan(ctx, &l.ID)
}

// Write stores changed linkifiers.
func (s store) Write(ctx context.Context, r realm.ID, ls ...*linkifier.Linkifier) error {
	rows := make([]*row, len(ls))
	for i, l := range ls {
		var err error
		if rows[i], err = toRow(r, l); err != nil {
			return err
		}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (id) DO UPDATE").
		Set("position = EXCLUDED.position").Set("pattern = EXCLUDED.pattern").Set("url_template = EXCLUDED.url_template").
		Set("example_input = EXCLUDED.example_input").Set("reverse_template = EXCLUDED.reverse_template").
		Set("alternatives = EXCLUDED.alternatives").Exec(ctx)
	return err
}

// Delete deletes a linkifier.
func (s store) Delete(ctx context.Context, r realm.ID, id linkifier.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", id).Where("realm_id = ?", r).Exec(ctx)
	return err
}
