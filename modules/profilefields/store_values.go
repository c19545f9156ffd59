package profilefields

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type valueRow struct {
	bun.BaseModel `bun:"table:profile_values,alias:v"`
	UserID        user.ID         `bun:",pk"`
	FieldID       profilefield.ID `bun:",pk"`
	RealmID       realm.ID
	Value         string
	Rendered      string
}

// Profiles adds what some people have said to profiles; nil is everybody in the realm.
func (s store) Profiles(ctx context.Context, r realm.ID, us []user.ID, profiles map[user.ID]profilefield.Profile) error {
	if us != nil && len(us) == 0 {
		return nil
	}
	var rows []valueRow
	q := s.db.From(ctx).NewSelect().Model(&rows).Column("user_id", "field_id", "value", "rendered").Where("realm_id = ?", r)
	if us != nil {
		q = q.Where("user_id IN (?)", bun.List(us))
	}
	if err := q.Scan(ctx); err != nil {
		return err
	}
	for _, v := range rows {
		p := profiles[v.UserID]
		if p == nil {
			p = profilefield.Profile{}
			profiles[v.UserID] = p
		}
		p[v.FieldID] = profilefield.Value{Text: v.Value, Rendered: v.Rendered}
	}
	return nil
}

// Set stores what a person says in some fields.
func (s store) Set(ctx context.Context, r realm.ID, u user.ID, said profilefield.Profile) error {
	if len(said) == 0 {
		return nil
	}
	rows := make([]valueRow, 0, len(said))
	for id, v := range said {
		rows = append(rows, valueRow{UserID: u, FieldID: id, RealmID: r, Value: v.Text, Rendered: v.Rendered})
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (user_id, field_id) DO UPDATE").
		Set("value = EXCLUDED.value").Set("rendered = EXCLUDED.rendered").Exec(ctx)
	return err
}

// Unset drops what a person says in some fields.
func (s store) Unset(ctx context.Context, u user.ID, fields []profilefield.ID) error {
	if len(fields) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewDelete().Model((*valueRow)(nil)).Where("user_id = ?", u).Where("field_id IN (?)", bun.List(fields)).Exec(ctx)
	return err
}

// Clear drops some values of a field, and gives whose they were.
func (s store) Clear(ctx context.Context, id profilefield.ID, values []string) ([]user.ID, error) {
	var us []user.ID
	err := s.db.From(ctx).NewDelete().Model((*valueRow)(nil)).Where("field_id = ?", id).Where("value IN (?)", bun.List(values)).
		Returning("user_id").Scan(ctx, &us)
	return us, err
}
