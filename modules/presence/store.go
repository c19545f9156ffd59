package presence

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/presence"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// row is the presence of one user.
type row struct {
	bun.BaseModel `bun:"table:presences,alias:p"`
	UserID        user.ID `bun:",pk" export:"yes,consent" person:"row"`
	RealmID       realm.ID
	ActiveAt      time.Time `bun:",nullzero" export:"yes"`
	ConnectedAt   time.Time `export:"yes"`
	Counter       int64     `export:"no"`
}

func (r *row) times() presence.Times {
	t := presence.Times{Connected: r.ConnectedAt.UTC()}
	if !r.ActiveAt.IsZero() {
		t.Active = r.ActiveAt.UTC()
	}
	return t
}

func (r *row) set(t presence.Times) { r.ActiveAt, r.ConnectedAt = t.Active, t.Connected }

// Of returns the users' rows. Users who have never reported have no row.
func (s store) Of(ctx context.Context, us ...user.ID) ([]*row, error) {
	var rows []*row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Scan(ctx)
	return rows, err
}

// From returns the rows whose counter is at least the given one, sorted by counter.
func (s store) From(ctx context.Context, r realm.ID, counter int64) ([]*row, error) {
	var rows []*row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("realm_id = ?", r).
		Where("counter >= ?", counter).
		Order("counter").
		Scan(ctx)
	return rows, err
}

// Highest returns a realm's highest counter, or 0 if there are no reports.
func (s store) Highest(ctx context.Context, r realm.ID) (int64, error) {
	var n sql.NullInt64
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).ColumnExpr("max(counter)").Where("realm_id = ?", r).Scan(ctx, &n)
	return n.Int64, err
}

// ActiveSince counts the users who were active at a time or later.
func (s store) ActiveSince(ctx context.Context, at time.Time) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("active_at >= ?", at).Count(ctx)
}

// Save writes rows, in a transaction.
func (s store) Save(ctx context.Context, rows []*row) error {
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (user_id) DO UPDATE").Exec(ctx)
	return err
}
