package bots

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type sizeRow struct {
	bun.BaseModel `bun:"table:bot_storages,alias:s"`
	UserID        user.ID `bun:",pk" person:"row"`
	RealmID       realm.ID
	Chars         int
}

type entryRow struct {
	bun.BaseModel `bun:"table:bot_storage,alias:e"`
	UserID        user.ID `bun:",pk" owner:"bot_storages" person:"row"`
	Name          string  `bun:",pk"`
	Value         string
}

func entries(rows []entryRow) map[string]string {
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Name] = r.Value
	}
	return out
}

// Entries returns all entries of a bot.
func (s store) Entries(ctx context.Context, u user.ID) (map[string]string, error) {
	var rows []entryRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Scan(ctx)
	return entries(rows), err
}

// Named returns the entries of a bot with the given keys. Missing entries are omitted.
func (s store) Named(ctx context.Context, u user.ID, keys []string) (map[string]string, error) {
	keys = storable(keys)
	if len(keys) == 0 {
		return map[string]string{}, nil
	}
	var rows []entryRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Where("name IN (?)", bun.List(keys)).Scan(ctx)
	return entries(rows), err
}

// storable returns keys without those that contain NUL. Such keys cannot be stored, and PostgreSQL cannot compare them.
func storable(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return strings.ContainsRune(k, 0) })
}

// LockStorage returns the number of characters stored by a bot, and blocks other writers until the transaction ends.
func (s store) LockStorage(ctx context.Context, r realm.ID, u user.ID) (int, error) {
	var chars int
	err := s.db.From(ctx).NewInsert().Model(&sizeRow{UserID: u, RealmID: r}).On("CONFLICT (user_id) DO UPDATE").
		Set("realm_id = EXCLUDED.realm_id").Returning("chars").Scan(ctx, &chars)
	return chars, err
}

// SetSize records the number of characters stored by a bot.
func (s store) SetSize(ctx context.Context, u user.ID, chars int) error {
	_, err := s.db.From(ctx).NewUpdate().Model(&sizeRow{UserID: u, Chars: chars}).Column("chars").WherePK().Exec(ctx)
	return err
}

// Put stores entries and overwrites those with the same keys.
func (s store) Put(ctx context.Context, u user.ID, all map[string]string) error {
	rows := make([]entryRow, 0, len(all))
	for k, v := range all {
		rows = append(rows, entryRow{UserID: u, Name: k, Value: v})
	}
	_, err := s.db.From(ctx).
		NewInsert().
		Model(&rows).
		On("CONFLICT (user_id, name) DO UPDATE").
		Set("value = EXCLUDED.value").
		Exec(ctx)
	return err
}

// Remove deletes the entries of a bot with the given keys.
func (s store) Remove(ctx context.Context, u user.ID, keys []string) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*entryRow)(nil)).
		Where("user_id = ?", u).
		Where("name IN (?)", bun.List(storable(keys))).
		Exec(ctx)
	return err
}

// RemoveAll deletes all entries of a bot.
func (s store) RemoveAll(ctx context.Context, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*entryRow)(nil)).Where("user_id = ?", u).Exec(ctx)
	return err
}
