package store

import (
	"context"

	"github.com/stoachat/stoa/domain/realm"
)

// Forgotten reports whether the keys of a run are being deleted.
func (r *Run) Forgotten() bool { return r.Source == "" }

// MarkForgotten marks the keys of a complete run as being deleted: no import may use them.
func (s *Store) MarkForgotten(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*Run)(nil)).Set("source = ''").Where("realm_id = ?", r).Exec(ctx)
	return err
}

// DropRun deletes the state of an import.
func (s *Store) DropRun(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*Run)(nil)).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// CountKeys returns the number of records that were imported.
func (s *Store) CountKeys(ctx context.Context, r realm.ID) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*Key)(nil)).Where("realm_id = ?", r).Count(ctx)
}

// DropKeys deletes at most limit keys, and returns how many.
func (s *Store) DropKeys(ctx context.Context, r realm.ID, limit int64) (int64, error) {
	some := s.db.From(ctx).NewSelect().Model((*Key)(nil)).Column("kind", "key").Where("realm_id = ?", r).Limit(limit)
	res, err := s.db.From(ctx).NewDelete().Model((*Key)(nil)).Where("realm_id = ?", r).Where("(kind, key) IN (?)", some).
		Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Imported returns the completed imports of owners that have made a realm.
func (s *Store) Imported(ctx context.Context, target realm.ID) ([]Job, error) {
	var jobs []Job
	err := s.db.From(ctx).NewSelect().Model(&jobs).Where("target_id = ?", target).Where("state = ?", Complete).Scan(ctx)
	return jobs, err
}
