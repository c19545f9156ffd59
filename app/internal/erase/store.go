package erase

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// store deletes rows in tables given by name.
type store struct{ db *bunstore.DB }

// Maximum numbers of rows per transaction.
const (
	perBlock = 1000 // rows of one table
	perKey   = 100  // rows with their dependents, or users with all their rows
)

// perWalk is how many keys of a table are scanned per step, outside transactions.
const perWalk = 100_000

// deleteBlock deletes a block of a realm's rows. It returns whether more may be left. Call it inside Do.
func (s store) deleteBlock(ctx context.Context, table string, r realm.ID) (bool, error) {
	n, err := s.db.DeleteSome(ctx, table, "realm_id", int64(r), perBlock)
	return n == perBlock, err
}

// last returns the highest key in a table, of any realm.
func (s store) last(ctx context.Context, t kit.Table) (int64, error) {
	var last int64
	err := s.db.From(ctx).
		NewSelect().
		TableExpr("?", bun.Ident(t.Name)).
		ColumnExpr("COALESCE(MAX(?), 0)", bun.Ident(t.Key()[0])).
		Scan(ctx, &last)
	return last, err
}

// next returns the realm's keys after the given one, and the key up to which the result is complete. It scans a limited
// part of the table, since any number of other realms' rows may lie in between.
func (s store) next(ctx context.Context, t kit.Table, r realm.ID, after int64) ([]int64, int64, error) {
	var keys []int64
	key := bun.Ident(t.Key()[0])
	err := s.db.From(ctx).NewSelect().TableExpr("?", bun.Ident(t.Name)).ColumnExpr("?", key).
		Where("realm_id = ?", r).
		Where("? > ?", key, after).Where("? <= ?", key, after+perWalk).OrderExpr("?", key).Limit(perKey).Scan(ctx, &keys)
	if len(keys) == perKey {
		return keys, keys[perKey-1], err
	}
	return keys, after + perWalk, err
}

// deleteByKey deletes rows by key, together with their dependent rows. Call it inside Do.
func (s store) deleteByKey(ctx context.Context, t kit.Table, dependents []kit.Table, keys []int64) error {
	for _, d := range dependents {
		if err := s.db.DeleteIn(ctx, d.Name, d.Owner.Column, keys); err != nil {
			return err
		}
	}
	return s.db.DeleteIn(ctx, t.Name, t.Key()[0], keys)
}

// count returns the number of a realm's rows in which a column has one of the values.
func (s store) count(ctx context.Context, t kit.Table, r realm.ID, column string, values any) (int, error) {
	q := s.db.From(ctx).NewSelect().TableExpr("?", bun.Ident(t.Name)).
		Where("? IN (?)", bun.Ident(column), bun.List(values))
	if t.Realm != "" {
		q = q.Where("? = ?", bun.Ident(t.Realm), r)
	}
	n, err := q.Count(ctx)
	return int(n), err
}

// deleteOf deletes a realm's rows in which a column has one of the values, and returns their number.
func (s store) deleteOf(ctx context.Context, t kit.Table, r realm.ID, column string, values any) (int, error) {
	q := s.db.From(ctx).NewDelete().TableExpr("?", bun.Ident(t.Name)).
		Where("? IN (?)", bun.Ident(column), bun.List(values))
	if t.Realm != "" {
		q = q.Where("? = ?", bun.Ident(t.Realm), r)
	}
	n, err := bunstore.Affected(q.Exec(ctx))
	return int(n), err
}
