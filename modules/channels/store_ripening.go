package channels

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
)

type ripeningRow struct {
	bun.BaseModel `bun:"table:channel_ripening,alias:r"`
	RealmID       realm.ID `bun:",pk"`
	Upto          time.Time
	Due           *time.Time
}

// Ripening gives up to when the people of a realm were told that they are full members, and when the next becomes one,
// zero for never; nil if nobody waits there.
func (s store) Ripening(ctx context.Context, r realm.ID) (*ripeningRow, error) {
	var rows []ripeningRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// told gives up to when all have been told who had become full members by then: until now, or until just before the
// first who has not been told. The precision is that of the database.
func (r *ripeningRow) told(now time.Time) time.Time {
	if r.Due == nil || r.Due.After(now) {
		return now
	}
	return r.Due.UTC().Add(-time.Millisecond)
}

// SetRipening stores it, and when the next will become one; zero: nobody.
func (s store) SetRipening(ctx context.Context, r realm.ID, upto, due time.Time) error {
	row := &ripeningRow{RealmID: r, Upto: upto}
	if !due.IsZero() {
		row.Due = &due
	}
	_, err := s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (realm_id) DO UPDATE").
		Set("upto = EXCLUDED.upto").Set("due = EXCLUDED.due").Exec(ctx)
	return err
}

// EndRipening forgets a realm in which nobody waits any more.
func (s store) EndRipening(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*ripeningRow)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Ripe gives those of some realms in which somebody has become a full member without being told.
func (s store) Ripe(ctx context.Context, rs []realm.ID, now time.Time) ([]realm.ID, error) {
	var all []realm.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*ripeningRow)(nil)).
		Column("realm_id").
		Where("realm_id IN (?)", bun.List(rs)).
		Where("due <= ?", now).
		Order("due").
		Scan(ctx, &all)
	return all, err
}
