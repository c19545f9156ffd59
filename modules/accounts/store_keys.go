package accounts

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type keyRow struct {
	bun.BaseModel `bun:"table:api_keys,alias:k"`
	Hash          user.KeyHash `bun:",pk"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	CreatedAt     time.Time
	Sealed        string // the encrypted key; "" for people
	Client        string // User-Agent of the last use, or of who made it
	UsedAt        int64  // Unix seconds; 0: never
	UsedFrom      string // network address of the last use
}

type passwordRow struct {
	bun.BaseModel `bun:"table:user_passwords,alias:p"`
	UserID        user.ID `bun:",pk" owner:"user"`
	Hash          string
}

// keys returns the API keys of each user of a realm, oldest first.
func (s store) keys(ctx context.Context, r realm.ID) (map[user.ID][]user.KeyHash, error) {
	var rows []keyRow
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		ExcludeColumn("sealed").
		Where("realm_id = ?", r).
		Order("created_at", "hash").
		Scan(ctx)
	out := map[user.ID][]user.KeyHash{}
	for _, k := range rows {
		out[k.UserID] = append(out[k.UserID], k.Hash)
	}
	return out, err
}

// KeyRows returns the API keys of a realm, by user, oldest first.
func (s store) KeyRows(ctx context.Context, r realm.ID) ([]keyRow, error) {
	var rows []keyRow
	err := s.db.From(ctx).NewSelect().Model(&rows).ExcludeColumn("sealed").Where("realm_id = ?", r).
		Order("user_id", "created_at", "hash").Scan(ctx)
	return rows, err
}

// KeysOf returns the API keys of a user, oldest first.
func (s store) KeysOf(ctx context.Context, u user.ID) ([]keyRow, error) {
	var rows []keyRow
	err := s.db.From(ctx).NewSelect().Model(&rows).ExcludeColumn("sealed").Where("user_id = ?", u).
		Order("created_at", "hash").Scan(ctx)
	return rows, err
}

// SetKeysUsed stores when and where keys were last used.
func (s store) SetKeysUsed(ctx context.Context, hs []user.KeyHash, use keyUse, now time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*keyRow)(nil)).Set("used_at = ?", now.Unix()).
		Set("used_from = ?", use.from).Set("client = ?", use.client).Where("hash IN (?)", bun.List(hs)).Exec(ctx)
	return err
}

// Sealed returns the encrypted keys with the given hashes. Keys that are stored only as hashes map to "".
func (s store) Sealed(ctx context.Context, hs []user.KeyHash) (map[user.KeyHash]string, error) {
	out := make(map[user.KeyHash]string, len(hs))
	if len(hs) == 0 {
		return out, nil
	}
	var rows []keyRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("hash", "sealed").Where("hash IN (?)", bun.List(hs)).Scan(ctx)
	for _, k := range rows {
		out[k.Hash] = k.Sealed
	}
	return out, err
}

// KeyHolder returns the ID of the user with a key, or 0 if there is none.
func (s store) KeyHolder(ctx context.Context, r realm.ID, h user.KeyHash) (user.ID, error) {
	var ids []user.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*keyRow)(nil)).
		Column("user_id").
		Where("hash = ?", h).
		Where("realm_id = ?", r).
		Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// AddKey stores a key.
func (s store) AddKey(ctx context.Context, k *keyRow) error {
	_, err := s.db.From(ctx).NewInsert().Model(k).Exec(ctx)
	return err
}

// RemoveKeys deletes the given keys of a user.
func (s store) RemoveKeys(ctx context.Context, u user.ID, hs []user.KeyHash) error {
	if len(hs) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*keyRow)(nil)).
		Where("user_id = ?", u).
		Where("hash IN (?)", bun.List(hs)).
		Exec(ctx)
	return err
}

// Password returns the hash of a user's password, or "" if there is none.
func (s store) Password(ctx context.Context, u user.ID) (string, error) {
	var hash string
	err := s.db.From(ctx).NewSelect().Model((*passwordRow)(nil)).Column("hash").Where("user_id = ?", u).Scan(ctx, &hash)
	return hash, bunstore.IgnoreNoRows(err)
}

// SetPassword stores the hash of a user's password.
func (s store) SetPassword(ctx context.Context, u user.ID, hash string) error {
	_, err := s.db.From(ctx).NewInsert().Model(&passwordRow{UserID: u, Hash: hash}).
		On("CONFLICT (user_id) DO UPDATE").Set("hash = EXCLUDED.hash").Exec(ctx)
	return err
}
