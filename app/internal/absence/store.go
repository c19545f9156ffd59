package absence

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
)

type store struct{ db *bunstore.DB }

// absence is a time during which a module was left out.
type absence struct {
	bun.BaseModel `bun:"table:module_absences"`
	Module        string `bun:",pk"`
	Since         time.Time
	Returned      *time.Time // nil: it is still left out
}

// left records that modules are left out. Those that have not caught up with an earlier absence keep its beginning.
func (s store) left(ctx context.Context, modules []string, now time.Time) error {
	rows := make([]absence, len(modules))
	for i, m := range modules {
		rows[i] = absence{Module: m, Since: now}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (module) DO UPDATE").Set("returned = NULL").Exec(ctx)
	return err
}

// back records that modules have returned.
func (s store) back(ctx context.Context, modules []string, now time.Time) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*absence)(nil)).
		Set("returned = ?", now).
		Where("module IN (?)", bun.List(modules)).
		Where("returned IS NULL").
		Exec(ctx)
	return err
}

// due returns the absences with which modules have not caught up.
func (s store) due(ctx context.Context) (all []absence, err error) {
	err = s.db.From(ctx).NewSelect().Model(&all).Where("returned IS NOT NULL").Order("module").Scan(ctx)
	return all, err
}

// pending reports whether a module has not caught up.
func (s store) pending(ctx context.Context, module string) (bool, error) {
	return s.db.From(ctx).NewSelect().Model((*absence)(nil)).Where("module = ?", module).Exists(ctx)
}

// end deletes an absence unless it has begun again.
func (s store) end(ctx context.Context, a absence) error {
	_, err := s.db.From(ctx).NewDelete().Model(&a).WherePK().Where("returned = ?", *a.Returned).Exec(ctx)
	return err
}
