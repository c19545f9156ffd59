package exports

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/realm"
)

type partRow struct {
	bun.BaseModel `bun:"table:export_parts,alias:p"`
	Key           string `bun:",pk"`
	ExportID      export.ID
	Number        int64
	RealmID       realm.ID
	Size          *int64
	Doomed        bool
}

// AddPart records a part before it is written.
func (s store) AddPart(ctx context.Context, r *row, key string) error {
	_, err := s.db.From(ctx).
		NewInsert().
		Model(&partRow{Key: key, ExportID: r.ID, Number: r.Parts, RealmID: r.RealmID}).
		Exec(ctx)
	return err
}

// Parts returns the parts of a complete export in order, at most a few thousand.
func (s store) Parts(ctx context.Context, id export.ID) ([]part, error) {
	var parts []part
	err := s.db.From(ctx).
		NewSelect().
		Model((*partRow)(nil)).
		Column("key", "size").
		Where("export_id = ?", id).
		Where("size IS NOT NULL").
		Order("number").
		Scan(ctx, &parts)
	return parts, err
}

// ScheduleRemoval schedules the removal of an export's parts numbered from and above.
func (s store) ScheduleRemoval(ctx context.Context, id export.ID, from int64) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*partRow)(nil)).Set("doomed = TRUE").
		Where("export_id = ?", id).Where("number >= ?", from).Exec(ctx)
	return err
}

// ScheduledForRemoval returns at most limit keys of parts that are scheduled for removal.
func (s store) ScheduledForRemoval(ctx context.Context, limit int) ([]string, error) {
	var keys []string
	err := s.db.From(ctx).
		NewSelect().
		Model((*partRow)(nil)).
		Column("key").
		Where("doomed").
		Order("key").
		Limit(int64(limit)).
		Scan(ctx, &keys)
	return keys, err
}

// OfRealm returns at most limit keys of parts of a realm's exports.
func (s store) OfRealm(ctx context.Context, r realm.ID, limit int) ([]string, error) {
	var keys []string
	err := s.db.From(ctx).
		NewSelect().
		Model((*partRow)(nil)).
		Column("key").
		Where("realm_id = ?", r).
		Order("key").
		Limit(int64(limit)).
		Scan(ctx, &keys)
	return keys, err
}

// ForgetParts deletes the rows of parts.
func (s store) ForgetParts(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewDelete().Model((*partRow)(nil)).Where("key IN (?)", bun.List(keys)).Exec(ctx)
	return err
}

// Keys returns at most limit parts with keys greater than after, sorted in byte order.
func (s store) Keys(ctx context.Context, after string, limit int) ([]partRow, error) {
	var rows []partRow
	key := s.db.ByteOrder("p.key")
	err := s.db.From(ctx).NewSelect().Model(&rows).Where(key+" > ?", after).OrderExpr(key).Limit(int64(limit)).Scan(ctx)
	return rows, err
}
