package waiting

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

// period is the row of a realm with a waiting period.
type period struct {
	bun.BaseModel `bun:"table:waiting_periods,alias:p"`
	RealmID       realm.ID `bun:",pk"`
	Upto          time.Time
	Due           *time.Time
}

// announced returns the time up to which all new full members have been announced: now, or one millisecond (the
// precision of the database) before the first unannounced member qualified. It is zero if p is nil.
func (p *period) announced(now time.Time) permission.Announced {
	switch {
	case p == nil:
		return permission.Announced{}
	case p.Due == nil || p.Due.After(now):
		return permission.Announced{Upto: now}
	}
	return permission.Announced{Upto: p.Due.UTC().Add(-time.Millisecond)}
}

// Get returns a realm's row, or nil if the realm has no waiting period.
func (s store) Get(ctx context.Context, r realm.ID) (*period, error) {
	var rows []period
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// Set stores the time up to which new full members were announced, and the time at which the next member becomes a full
// member; zero: never.
func (s store) Set(ctx context.Context, r realm.ID, upto, due time.Time) error {
	p := &period{RealmID: r, Upto: upto}
	if !due.IsZero() {
		p.Due = &due
	}
	_, err := s.db.From(ctx).NewInsert().Model(p).On("CONFLICT (realm_id) DO UPDATE").
		Set("upto = EXCLUDED.upto").Set("due = EXCLUDED.due").Exec(ctx)
	return err
}

// Delete deletes the row of a realm that no longer has a waiting period.
func (s store) Delete(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*period)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Due filters rs for realms that have unannounced new full members.
func (s store) Due(ctx context.Context, rs []realm.ID, now time.Time) ([]realm.ID, error) {
	var all []realm.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*period)(nil)).
		Column("realm_id").
		Where("realm_id IN (?)", bun.List(rs)).
		Where("due <= ?", now).
		Order("due").
		Scan(ctx, &all)
	return all, err
}
