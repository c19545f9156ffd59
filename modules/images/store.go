package images

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

// state records whether an image is in use.
type state int64

const (
	unclaimed state = iota // new or replaced
	claimed                // in use: a row of another module contains its address
	deleting               // can no longer be claimed
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:images,alias:p"`
	Key           string `bun:",pk" export:"yes"`
	RealmID       realm.ID
	State         state     `export:"no"`
	ChangedAt     time.Time `export:"no"`
}

// Insert records images before they are stored.
func (s store) Insert(ctx context.Context, r realm.ID, keys []string, now time.Time) error {
	rows := make([]row, len(keys))
	for i, k := range keys {
		rows[i] = row{Key: k, RealmID: r, State: unclaimed, ChangedAt: now}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Move changes the state of the given images that are in state from, and returns how many it changed.
func (s store) Move(ctx context.Context, keys []string, from, to state, now time.Time) (int64, error) {
	return bunstore.Affected(s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("state = ?", to).
		Set("changed_at = ?", now).
		Where("key IN (?)", bun.List(keys)).Where("state = ?", from).Exec(ctx))
}

// Unused returns the keys of up to limit images that entered the given state before the given time, oldest first.
func (s store) Unused(ctx context.Context, in state, before time.Time, limit int) ([]string, error) {
	var keys []string
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("key").
		Where("state = ?", in).
		Where("changed_at <= ?", before).
		Order("changed_at", "key").
		Limit(int64(limit)).
		Scan(ctx, &keys)
	return keys, err
}

// Forget deletes the rows of removed images.
func (s store) Forget(ctx context.Context, keys []string) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*row)(nil)).
		Where("key IN (?)", bun.List(keys)).
		Where("state = ?", deleting).
		Exec(ctx)
	return err
}

// Of returns the keys of up to limit images of a realm.
func (s store) Of(ctx context.Context, r realm.ID, limit int) ([]string, error) {
	var keys []string
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("key").
		Where("realm_id = ?", r).
		Limit(int64(limit)).
		Scan(ctx, &keys)
	return keys, err
}

// Drop deletes the rows of a deleted realm's images. Their blobs have already been deleted.
func (s store) Drop(ctx context.Context, keys []string) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("key IN (?)", bun.List(keys)).Exec(ctx)
	return err
}

// KeysOf returns up to limit images of a realm whose keys follow the given one, in byte order.
func (s store) KeysOf(ctx context.Context, r realm.ID, after string, limit int) ([]row, error) {
	var rows []row
	key := s.db.ByteOrder("p.key")
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("realm_id = ?", r).
		Where(key+" > ?", after).
		OrderExpr(key).
		Limit(int64(limit)).
		Scan(ctx)
	return rows, err
}

// Keys is like KeysOf, but for all realms.
func (s store) Keys(ctx context.Context, after string, limit int) ([]row, error) {
	var rows []row
	key := s.db.ByteOrder("p.key")
	err := s.db.From(ctx).NewSelect().Model(&rows).Where(key+" > ?", after).OrderExpr(key).Limit(int64(limit)).Scan(ctx)
	return rows, err
}
