package channels

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
)

type waitingRow struct {
	bun.BaseModel `bun:"table:channel_waiting_periods,alias:r"`
	RealmID       realm.ID `bun:",pk"`
	Upto          time.Time
	Due           *time.Time
}

// Waiting returns a realm's row: the time up to which new full members were announced, and when the next member becomes
// a full member, if any. It returns nil if the realm has no waiting period.
func (s store) Waiting(ctx context.Context, r realm.ID) (*waitingRow, error) {
	var rows []waitingRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// notified returns the time up to which all new full members have been announced: now, or a millisecond (the precision
// of the database) before the first who has not.
func (r *waitingRow) notified(now time.Time) time.Time {
	if r.Due == nil || r.Due.After(now) {
		return now
	}
	return r.Due.UTC().Add(-time.Millisecond)
}

// SetWaiting stores the time up to which new full members were announced, and when the next member becomes a full
// member, zero for never.
func (s store) SetWaiting(ctx context.Context, r realm.ID, upto, due time.Time) error {
	row := &waitingRow{RealmID: r, Upto: upto}
	if !due.IsZero() {
		row.Due = &due
	}
	_, err := s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (realm_id) DO UPDATE").
		Set("upto = EXCLUDED.upto").Set("due = EXCLUDED.due").Exec(ctx)
	return err
}

// EndWaiting deletes the row of a realm that no longer has a waiting period.
func (s store) EndWaiting(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*waitingRow)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Due returns those of the given realms that have new full members who were not announced yet.
func (s store) Due(ctx context.Context, rs []realm.ID, now time.Time) ([]realm.ID, error) {
	var all []realm.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*waitingRow)(nil)).
		Column("realm_id").
		Where("realm_id IN (?)", bun.List(rs)).
		Where("due <= ?", now).
		Order("due").
		Scan(ctx, &all)
	return all, err
}
