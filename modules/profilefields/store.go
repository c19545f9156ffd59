package profilefields

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

type fieldRow struct {
	bun.BaseModel `bun:"table:profile_fields,alias:f"`
	ID            profilefield.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	Type          profilefield.Type `export:"yes"`
	Position      int               `export:"yes"`
	Name          string            `export:"yes"`
	Hint          string            `export:"yes"`
	Data          string            `export:"yes,json"`
	InSummary     bool              `export:"yes"`
	Required      bool              `export:"yes"`
	Editable      bool              `export:"yes"`
	Matching      bool              `export:"yes"`
}

func toRow(r realm.ID, f *profilefield.Field) *fieldRow {
	return &fieldRow{
		ID: f.ID, RealmID: r, Type: f.Type, Position: f.Order, Name: f.Name, Hint: f.Hint, Data: f.Data.String(),
		InSummary: f.Summary, Required: f.Required, Editable: f.Editable, Matching: f.Matching,
	}
}

// Fields returns all fields of a realm in order.
func (s store) Fields(ctx context.Context, r realm.ID) ([]profilefield.Field, error) {
	var rows []fieldRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("position", "id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]profilefield.Field, len(rows))
	for i, f := range rows {
		data, err := profilefield.ReadData(f.Type, f.Data)
		if err != nil {
			return nil, err
		}
		all[i] = profilefield.Field{
			ID: f.ID, Type: f.Type, Order: f.Position, Name: f.Name, Hint: f.Hint, Data: data, Summary: f.InSummary,
			Required: f.Required, Editable: f.Editable, Matching: f.Matching,
		}
	}
	return all, nil
}

// Insert stores a new field and sets its ID.
func (s store) Insert(ctx context.Context, r realm.ID, f *profilefield.Field) error {
	return s.db.From(ctx).NewInsert().Model(toRow(r, f)).Returning("id").Scan(ctx, &f.ID)
}

// Update stores a changed field.
func (s store) Update(ctx context.Context, r realm.ID, f *profilefield.Field) error {
	_, err := s.db.From(ctx).NewUpdate().Model(toRow(r, f)).WherePK().Where("realm_id = ?", r).Exec(ctx)
	return err
}

// SetOrder stores the order of the fields, in one statement.
func (s store) SetOrder(ctx context.Context, r realm.ID, all []profilefield.Field) error {
	if len(all) == 0 {
		return nil
	}
	text, args := "CASE id", []any{}
	for _, f := range all {
		text += " WHEN ? THEN ?"
		args = append(args, f.ID, f.Order)
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*fieldRow)(nil)).Set("position = "+text+" ELSE position END", args...).
		Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Delete deletes a field.
func (s store) Delete(ctx context.Context, r realm.ID, id profilefield.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*fieldRow)(nil)).Where("id = ?", id).Where("realm_id = ?", r).Exec(ctx)
	return err
}
