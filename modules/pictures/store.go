package pictures

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

// state is what becomes of a picture.
type state int64

const (
	loose   state = iota // no row names it: it is new, or has been replaced
	claimed              // a row names it
	doomed               // it is being removed
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:pictures,alias:p"`
	Key           string `bun:",pk"`
	RealmID       realm.ID
	State         state
	ChangedAt     time.Time
}

// Insert notes pictures that are about to be stored.
func (s store) Insert(ctx context.Context, r realm.ID, keys []string, now time.Time) error {
	rows := make([]row, len(keys))
	for i, k := range keys {
		rows[i] = row{Key: k, RealmID: r, State: loose, ChangedAt: now}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Move takes pictures from one state to another, and tells how many of them were in the first.
func (s store) Move(ctx context.Context, keys []string, from, to state, now time.Time) (int64, error) {
	res, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("state = ?", to).Set("changed_at = ?", now).
		Where("key IN (?)", bun.List(keys)).Where("state = ?", from).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Unused gives some of the pictures that are in a state since before a time, the oldest first.
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

// Forget drops the rows of pictures that are removed.
func (s store) Forget(ctx context.Context, keys []string) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*row)(nil)).
		Where("key IN (?)", bun.List(keys)).
		Where("state = ?", doomed).
		Exec(ctx)
	return err
}

// Of gives some of the pictures of a realm.
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

// Drop drops the rows of pictures of a realm that is deleted, of which the blobs are removed.
func (s store) Drop(ctx context.Context, keys []string) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("key IN (?)", bun.List(keys)).Exec(ctx)
	return err
}

// KeysOf returns the pictures of a realm whose keys sort after another one, in byte order.
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

// Keys returns the pictures whose keys sort after another one, in byte order.
func (s store) Keys(ctx context.Context, after string, limit int) ([]row, error) {
	var rows []row
	key := s.db.ByteOrder("p.key")
	err := s.db.From(ctx).NewSelect().Model(&rows).Where(key+" > ?", after).OrderExpr(key).Limit(int64(limit)).Scan(ctx)
	return rows, err
}
