package onboarding

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:onboarding_steps,alias:o"`
	UserID        user.ID `bun:",pk" export:"yes,consent" person:"row"`
	Step          string  `bun:",pk" export:"yes"`
	RealmID       realm.ID
}

// Seen returns the names of the hints that each user has seen.
func (s store) Seen(ctx context.Context, us ...user.ID) (map[user.ID][]string, error) {
	var rows []row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Column("user_id", "step").
		Where("user_id IN (?)", bun.List(us)).
		Order("user_id", "step").
		Scan(ctx)
	byUser := map[user.ID][]string{}
	for _, r := range rows {
		byUser[r.UserID] = append(byUser[r.UserID], r.Step)
	}
	return byUser, err
}

// MarkSeen marks a hint as seen and reports whether it was not marked before.
func (s store) MarkSeen(ctx context.Context, r realm.ID, u user.ID, step string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).
		NewInsert().
		Model(&row{UserID: u, Step: step, RealmID: r}).
		On("CONFLICT DO NOTHING").
		Exec(ctx))
}
