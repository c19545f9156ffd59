package erase

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// store deletes rows of tables that it knows by name only.
type store struct{ db *bunstore.DB }

// How much goes in one transaction.
const (
	perBlock = 1000 // rows of one table
	perKey   = 100  // rows with all that hang on them, or people with all that is theirs
)

// perWalk is how many keys of a table are looked at in one go, in no transaction.
const perWalk = 100_000

// some deletes some of the rows that have the realm, and tells whether there may be more. Inside Do.
func (s store) some(ctx context.Context, table string, r realm.ID) (bool, error) {
	n, err := s.db.DeleteSome(ctx, table, "realm_id", int64(r), perBlock)
	return n == perBlock, err
}

// last gives the highest key of a table, whoever has the row.
func (s store) last(ctx context.Context, t kit.Rows) (int64, error) {
	var last int64
	err := s.db.From(ctx).
		NewSelect().
		TableExpr("?", bun.Ident(t.Table)).
		ColumnExpr("COALESCE(MAX(?), 0)", bun.Ident(t.Key)).
		Scan(ctx, &last)
	return last, err
}

// next gives keys of a realm's rows after a key, and the key up to which there are no others. It looks at a bounded
// part of the table only, since between a realm's rows there may be any number of others'.
func (s store) next(ctx context.Context, t kit.Rows, r realm.ID, after int64) ([]int64, int64, error) {
	var keys []int64
	key := bun.Ident(t.Key)
	err := s.db.From(ctx).NewSelect().TableExpr("?", bun.Ident(t.Table)).ColumnExpr("?", key).
		Where("realm_id = ?", r).
		Where("? > ?", key, after).Where("? <= ?", key, after+perWalk).OrderExpr("?", key).Limit(perKey).Scan(ctx, &keys)
	if len(keys) == perKey {
		return keys, keys[perKey-1], err
	}
	return keys, after + perWalk, err
}

// keyed deletes rows by their keys, with those that hang on them. Inside Do.
func (s store) keyed(ctx context.Context, t kit.Rows, keys []int64) error {
	for _, h := range t.With {
		if err := s.db.DeleteIn(ctx, h.Table, h.Column, keys); err != nil {
			return err
		}
	}
	return s.db.DeleteIn(ctx, t.Table, t.Key, keys)
}

// of deletes what is some people's. Inside Do.
func (s store) of(ctx context.Context, t kit.Rows, people []int64) error {
	return s.db.DeleteIn(ctx, t.Table, t.User, people)
}
