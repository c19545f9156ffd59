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

// some deletes some of the rows that have the realm, and tells whether there may be more. Inside Do.
func (s store) some(ctx context.Context, table string, r realm.ID) (bool, error) {
	n, err := s.db.DeleteSome(ctx, table, "realm_id", int64(r), perBlock)
	return n == perBlock, err
}

// keyed deletes the next rows after a key, with those that hang on them, and gives the last key; 0 at the end. Inside Do.
func (s store) keyed(ctx context.Context, t kit.Rows, r realm.ID, after int64) (int64, error) {
	var keys []int64
	err := s.db.From(ctx).NewSelect().TableExpr("?", bun.Ident(t.Table)).ColumnExpr("?", bun.Ident(t.Key)).
		Where("realm_id = ?", r).Where("? > ?", bun.Ident(t.Key), after).OrderExpr("?", bun.Ident(t.Key)).Limit(perKey).Scan(ctx, &keys)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	for _, h := range t.With {
		if err := s.db.DeleteIn(ctx, h.Table, h.Column, keys); err != nil {
			return 0, err
		}
	}
	return keys[len(keys)-1], s.db.DeleteIn(ctx, t.Table, t.Key, keys)
}

// of deletes what is some people's. Inside Do.
func (s store) of(ctx context.Context, t kit.Rows, people []int64) error {
	return s.db.DeleteIn(ctx, t.Table, t.User, people)
}
