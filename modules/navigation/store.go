package navigation

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/navigation"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:navigation_views,alias:n"`
	UserID        user.ID `bun:",pk" export:"yes,consent" person:"row"`
	Fragment      string  `bun:",pk" export:"yes"`
	RealmID       realm.ID
	IsPinned      bool    `export:"yes"`
	Name          *string `export:"yes"`
}

// Of returns a user's views, sorted by fragment.
func (s store) Of(ctx context.Context, u user.ID) ([]navigation.View, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Scan(ctx)
	out := make([]navigation.View, len(rows))
	for i, r := range rows {
		out[i] = navigation.View{Fragment: r.Fragment, Pinned: r.IsPinned, Name: r.Name}
	}
	// Databases may sort differently, depending on their collation.
	slices.SortFunc(out, func(a, b navigation.View) int { return strings.Compare(a.Fragment, b.Fragment) })
	return out, err
}

// Insert stores a new view for a user.
func (s store) Insert(ctx context.Context, r realm.ID, u user.ID, v navigation.View) error {
	_, err := s.db.From(ctx).
		NewInsert().
		Model(&row{UserID: u, Fragment: v.Fragment, RealmID: r, IsPinned: v.Pinned, Name: v.Name}).
		Exec(ctx)
	return err
}

// Update stores the name and pinned state of a user's view.
func (s store) Update(ctx context.Context, r realm.ID, u user.ID, v navigation.View) error {
	_, err := s.db.From(ctx).NewUpdate().Model(&row{UserID: u, Fragment: v.Fragment, IsPinned: v.Pinned, Name: v.Name}).
		Column("is_pinned", "name").WherePK().Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Delete deletes a user's view.
func (s store) Delete(ctx context.Context, r realm.ID, u user.ID, fragment string) error {
	_, err := s.db.From(ctx).NewDelete().Model(&row{UserID: u, Fragment: fragment}).WherePK().Where("realm_id = ?", r).
		Exec(ctx)
	return err
}

// Clear deletes all views of a user.
func (s store) Clear(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
