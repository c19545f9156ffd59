package wasm

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// value is a value that a module has stored. The values of a user are erased with the user.
type value struct {
	bun.BaseModel `bun:"table:wasm_values"`
	ModuleID      int64   `bun:",pk" export:"yes"`
	UserID        user.ID `bun:",pk" export:"yes" person:"row"` // 0: of no user
	Key           string  `bun:",pk" export:"yes"`
	RealmID       realm.ID
	Value         string `export:"yes"`
	Size          int    `export:"no"` // bytes of key and value
}

// place is where a module stores a value.
type place struct {
	module int64
	user   user.ID
	key    string
}

// Value returns a value, or nil.
func (s store) Value(ctx context.Context, at place) (*string, error) {
	var text string
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model((*value)(nil)).Column("value").
		Where("module_id = ?", at.module).Where("user_id = ?", at.user).Where("key = ?", at.key).Scan(ctx, &text))
	if err != nil || !found {
		return nil, err
	}
	return &text, nil
}

// Keys returns the next keys with a prefix after one of them, in the order of their bytes.
func (s store) Keys(ctx context.Context, at place, after string, limit int64) ([]string, error) {
	keys := []string{}
	err := s.db.From(ctx).NewSelect().Model((*value)(nil)).Column("key").
		Where("module_id = ?", at.module).Where("user_id = ?", at.user).
		Where("key > ?", after).Where("substr(key, 1, ?) = ?", len([]rune(at.key)), at.key).
		Order("key").Limit(limit).Scan(ctx, &keys)
	return keys, err
}

// Owned returns the values of the next users that have one with a key, by the users' IDs.
func (s store) Owned(ctx context.Context, after place, limit int64) ([]value, error) {
	all := []value{}
	err := s.db.From(ctx).NewSelect().Model(&all).Column("user_id", "value").Where("module_id = ?", after.module).
		Where("user_id > ?", after.user).Where("key = ?", after.key).Order("user_id").Limit(limit).Scan(ctx)
	return all, err
}

// Used returns how many values a module has stored, and their bytes, except the value at the place.
func (s store) Used(ctx context.Context, at place) (n, size int, err error) {
	err = s.db.From(ctx).NewSelect().Model((*value)(nil)).ColumnExpr("count(*)").ColumnExpr("coalesce(sum(size), 0)").
		Where("module_id = ?", at.module).Where("NOT (user_id = ? AND key = ?)", at.user, at.key).Scan(ctx, &n, &size)
	return n, size, err
}

// SetValue stores a value.
func (s store) SetValue(ctx context.Context, v *value) error {
	_, err := s.db.From(ctx).NewInsert().Model(v).On("CONFLICT (module_id, user_id, key) DO UPDATE").
		Set("value = EXCLUDED.value").Set("size = EXCLUDED.size").Exec(ctx)
	return err
}

// DeleteValue deletes a value.
func (s store) DeleteValue(ctx context.Context, at place) error {
	_, err := s.db.From(ctx).NewDelete().Model((*value)(nil)).Where("module_id = ?", at.module).
		Where("user_id = ?", at.user).Where("key = ?", at.key).Exec(ctx)
	return err
}
