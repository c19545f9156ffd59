package accounts

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
)

// rowsPerStatement is the maximum number of rows per statement.
const rowsPerStatement = 500

type editedRow struct {
	bun.BaseModel `bun:"table:edited_settings,alias:e"`
	UserID        user.ID `bun:",pk" owner:"user"`
	Name          string  `bun:",pk"`
}

type settingsRow struct {
	ID       user.ID
	Settings string `bun:"type:text"`
}

// Edited records that a user has changed settings personally.
func (s store) Edited(ctx context.Context, u user.ID, changes []setting.Change) error {
	if len(changes) == 0 {
		return nil
	}
	rows := make([]editedRow, len(changes))
	for i, c := range changes {
		rows[i] = editedRow{UserID: u, Name: c.Name}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (user_id, name) DO NOTHING").Exec(ctx)
	return err
}

// EditedBy returns the names of the settings, among those given, that each user has changed personally.
func (s store) EditedBy(ctx context.Context, who user.Set, settings map[string]any) (map[user.ID][]string, error) {
	names, out := slices.Sorted(maps.Keys(settings)), map[user.ID][]string{}
	for some := range slices.Chunk(who, rowsPerStatement) {
		var rows []editedRow
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("user_id IN (?)", bun.List(some)).
			Where("name IN (?)", bun.List(names)).
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.UserID] = append(out[r.UserID], r.Name)
		}
	}
	return out, nil
}

// UpdateSettings stores the settings of existing users.
func (s store) UpdateSettings(ctx context.Context, r realm.ID, users []*user.User) error {
	db := s.db.From(ctx)
	for some := range slices.Chunk(users, rowsPerStatement) {
		rows := make([]settingsRow, len(some))
		for i, u := range some {
			row, err := toRow(r, u)
			if err != nil {
				return err
			}
			rows[i] = settingsRow{row.ID, row.Settings}
		}
		_, err := db.NewUpdate().With("saved", db.NewValues(&rows)).Model((*userRow)(nil)).TableExpr("saved").
			Set("settings = saved.settings").Where("u.id = saved.id").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
