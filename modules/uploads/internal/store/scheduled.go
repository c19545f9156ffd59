package store

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/upload"
)

// ScheduledRef is a reference from a scheduled message to a file.
type ScheduledRef struct {
	bun.BaseModel `bun:"table:attachment_scheduled,alias:s"`
	File          upload.ID    `bun:"attachment_id,pk"`
	Scheduled     scheduled.ID `bun:"scheduled_id,pk"`
	Realm         realm.ID     `bun:"realm_id"`
}

// AddScheduledRefs adds references from scheduled messages.
func (s *Store) AddScheduledRefs(ctx context.Context, refs []ScheduledRef) error {
	for part := range slices.Chunk(refs, perStatement) {
		if _, err := s.db.From(ctx).NewInsert().Model(&part).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// RemoveScheduledRefs removes all references from the given scheduled messages and returns the files that they referred
// to.
func (s *Store) RemoveScheduledRefs(ctx context.Context, ids []scheduled.ID) ([]upload.ID, error) {
	var out []upload.ID
	for part := range slices.Chunk(ids, perStatement) {
		var files []upload.ID
		err := s.db.From(ctx).NewDelete().Model((*ScheduledRef)(nil)).Where("scheduled_id IN (?)", bun.List(part)).
			Returning("attachment_id").Scan(ctx, &files)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// ReferringScheduled returns up to limit scheduled messages of a realm that have references.
func (s *Store) ReferringScheduled(ctx context.Context, r realm.ID, limit int) (ids []scheduled.ID, err error) {
	err = s.db.From(ctx).NewSelect().Distinct().Model((*ScheduledRef)(nil)).Column("scheduled_id").
		Where("realm_id = ?", r).Order("scheduled_id").Limit(int64(limit)).Scan(ctx, &ids)
	return ids, err
}

// RemoveScheduledRefsTo removes all references from scheduled messages to the given files.
func (s *Store) RemoveScheduledRefsTo(ctx context.Context, files []upload.ID) error {
	for part := range slices.Chunk(files, perStatement) {
		_, err := s.db.From(ctx).
			NewDelete().
			Model((*ScheduledRef)(nil)).
			Where("attachment_id IN (?)", bun.List(part)).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
