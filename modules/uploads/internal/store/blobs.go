package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
)

// blobRow is the key of a blob that belongs to no attachment, because it is being uploaded or will be removed.
type blobRow struct {
	bun.BaseModel `bun:"table:upload_blobs,alias:b"`
	Key           string `bun:",pk"`
	RealmID       realm.ID
	RemoveAt      time.Time
	Removing      bool
}

// AddBlobs records keys of blobs that are removed at removeAt unless TakeBlob is called before.
func (s *Store) AddBlobs(ctx context.Context, r realm.ID, removeAt time.Time, keys ...string) error {
	keys = slices.Compact(slices.Sorted(slices.Values(keys))) // PostgreSQL rejects duplicates in a statement
	for part := range slices.Chunk(keys, perStatement) {
		rows := make([]blobRow, len(part))
		for i, k := range part {
			rows[i] = blobRow{Key: k, RealmID: r, RemoveAt: removeAt}
		}
		_, err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT (key) DO UPDATE").
			Set("remove_at = EXCLUDED.remove_at").
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// TakeBlob cancels the removal of a blob that now belongs to an attachment. It reports false if the removal has
// started.
func (s *Store) TakeBlob(ctx context.Context, key string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*blobRow)(nil)).Where("key = ?", key).
		Where("NOT removing").Exec(ctx))
}

// DueBlobs returns at most limit keys of blobs that are due for removal. TakeBlob no longer succeeds for them.
func (s *Store) DueBlobs(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var keys []string
	err := s.db.From(ctx).NewSelect().Model((*blobRow)(nil)).Column("key").Where("remove_at <= ?", now).
		Order("remove_at", "key").Limit(int64(limit)).Scan(ctx, &keys)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	var due []string // without the keys of blobs taken in the meantime
	err = s.db.From(ctx).NewUpdate().Model((*blobRow)(nil)).Set("removing = ?", true).Where("key IN (?)", bun.List(keys)).
		Where("remove_at <= ?", now).Returning("key").Scan(ctx, &due)
	return due, err
}

// DeleteKeys deletes recorded keys of removed blobs.
func (s *Store) DeleteKeys(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewDelete().Model((*blobRow)(nil)).Where("key IN (?)", bun.List(keys)).Exec(ctx)
	return err
}

// KeysOf returns at most limit of a realm's recorded keys.
func (s *Store) KeysOf(ctx context.Context, r realm.ID, limit int) ([]string, error) {
	var keys []string
	err := s.db.From(ctx).NewSelect().Model((*blobRow)(nil)).Column("key").
		Where("realm_id = ?", r).Limit(int64(limit)).Scan(ctx, &keys)
	return keys, err
}

// Keys returns at most limit files, archived ones included, with blob keys greater than after, sorted by key in byte
// order.
func (s *Store) Keys(ctx context.Context, after string, limit int) ([]upload.File, error) {
	var rows []row
	key := s.db.ByteOrder("a.blob_key")
	err := s.db.From(ctx).NewSelect().Model(&rows).Where(key+" > ?", after).OrderExpr(key).Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	archived, err := s.archivedKeys(ctx, after, limit)
	all := append(files(rows), archived...)
	slices.SortStableFunc(all, func(a, b upload.File) int { return strings.Compare(a.Key, b.Key) })
	all = slices.CompactFunc(all, func(a, b upload.File) bool { return a.Key == b.Key }) // files that were restored
	return all[:min(len(all), limit)], err
}

// RecordedKeys returns at most limit keys greater than after of blobs that belong to no attachment, sorted in byte
// order.
func (s *Store) RecordedKeys(ctx context.Context, after string, limit int) ([]string, error) {
	var keys []string
	key := s.db.ByteOrder("b.key")
	err := s.db.From(ctx).NewSelect().Model((*blobRow)(nil)).Column("key").Where(key+" > ?",
		after).OrderExpr(key).Limit(int64(limit)).Scan(ctx, &keys)
	return keys, err
}
