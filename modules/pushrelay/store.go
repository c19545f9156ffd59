package pushrelay

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/ports"
)

type store struct {
	db     *bunstore.DB
	sealer ports.Sealer
}

type keyRow struct {
	bun.BaseModel `bun:"table:push_relay_keys,alias:k"`
	PublicKey     string `bun:",pk"`
	PrivateKey    string
	CreatedAt     time.Time
	RetiredAt     time.Time `bun:",nullzero"`
}

func (r *keyRow) key() relay.Key {
	return relay.Key{Public: r.PublicKey, Created: r.CreatedAt, Retired: r.RetiredAt}
}

func keyPurpose(public string) string { return "private key of push relay key " + public }

// AddKey stores a key pair.
func (s store) AddKey(ctx context.Context, k relay.Key, private *[32]byte) error {
	sealed, err := s.sealer.Seal(keyPurpose(k.Public), base64.StdEncoding.EncodeToString(private[:]))
	if err != nil {
		return err
	}
	row := &keyRow{PublicKey: k.Public, PrivateKey: sealed, CreatedAt: k.Created}
	_, err = s.db.From(ctx).NewInsert().Model(row).Exec(ctx)
	return err
}

// RetireKeys marks the current keys as replaced, and returns their number.
func (s store) RetireKeys(ctx context.Context, now time.Time) (int64, error) {
	return bunstore.Affected(s.db.From(ctx).NewUpdate().Model((*keyRow)(nil)).
		Set("retired_at = ?", now).Where("retired_at IS NULL").Exec(ctx))
}

// maxKeys is the maximum number of key pairs listed.
const maxKeys = 1000

// Keys lists the key pairs, newest first.
func (s store) Keys(ctx context.Context) ([]relay.Key, error) {
	var rows []keyRow
	err := s.db.From(ctx).NewSelect().Model(&rows).ExcludeColumn("private_key").
		Order("created_at DESC", "public_key").Limit(maxKeys).Scan(ctx)
	out := make([]relay.Key, len(rows))
	for i := range rows {
		out[i] = rows[i].key()
	}
	return out, err
}

// HasKey reports whether there is a key that has not been replaced.
func (s store) HasKey(ctx context.Context) (bool, error) {
	return s.db.From(ctx).NewSelect().Model((*keyRow)(nil)).Where("retired_at IS NULL").Exists(ctx)
}

// PrivateKey returns the key pair with a public key, or nil.
func (s store) PrivateKey(ctx context.Context, public [32]byte) (*relay.Key, *[32]byte, error) {
	var row keyRow
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&row).
		Where("public_key = ?", base64.StdEncoding.EncodeToString(public[:])).Scan(ctx))
	if !found {
		return nil, nil, err
	}
	text, err := s.sealer.Open(keyPurpose(row.PublicKey), row.PrivateKey)
	if err != nil {
		return nil, nil, undecryptable("a private key", err)
	}
	var private [32]byte
	b, err := base64.StdEncoding.DecodeString(text)
	copy(private[:], b)
	k := row.key()
	return &k, &private, err
}

// ForgetKeys deletes key pairs that were replaced before the given time.
func (s store) ForgetKeys(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*keyRow)(nil)).Where("retired_at < ?", before).Exec(ctx)
	return err
}

type serverRow struct {
	bun.BaseModel `bun:"table:push_relay_servers,alias:s"`
	ID            string `bun:",pk"`
	Name          string
	KeyHash       string
	Registrations int
	Notifications int
	CreatedAt     time.Time
	RemovedAt     time.Time `bun:",nullzero"`
	Devices       int64     `bun:",scanonly"`
}

func (r *serverRow) server() *relay.Server {
	return &relay.Server{
		ID: r.ID, Name: r.Name, Registrations: r.Registrations, Notifications: r.Notifications, Devices: r.Devices,
		Created: r.CreatedAt, Removed: r.RemovedAt,
	}
}

// Server returns a server and the hash of its key, or nil.
func (s store) Server(ctx context.Context, id string) (*relay.Server, string, error) {
	var row serverRow
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&row).Where("id = ?", id).Scan(ctx))
	if !found {
		return nil, "", err
	}
	return row.server(), row.KeyHash, nil
}

// AddServer stores a server. It reports false if the name is in use.
func (s store) AddServer(ctx context.Context, v relay.Server, hash string) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewInsert().Model(&serverRow{
		ID: v.ID, Name: v.Name, KeyHash: hash, Registrations: v.Registrations, Notifications: v.Notifications,
		CreatedAt: v.Created,
	}).On("CONFLICT DO NOTHING").Exec(ctx))
	return n == 1, err
}

// maxServers is the maximum number of servers listed.
const maxServers = 10_000

// Servers lists the servers that have not been removed, sorted by name, with the number of their devices.
func (s store) Servers(ctx context.Context) ([]relay.Server, error) {
	var rows []serverRow
	devices := s.db.From(ctx).NewSelect().Model((*tokenRow)(nil)).ColumnExpr("count(*)").
		Join("JOIN push_relay_realms AS r ON r.id = t.remote_id").Where("r.server_id = s.id")
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("id", "name", "registrations", "notifications", "created_at").
		ColumnExpr("(?) AS devices", devices).Where("removed_at IS NULL").Order("name").Limit(maxServers).Scan(ctx)
	out := make([]relay.Server, len(rows))
	for i := range rows {
		out[i] = *rows[i].server()
	}
	return out, err
}

// RemoveServer marks a server as removed. It reports false if there is no server with that name.
func (s store) RemoveServer(ctx context.Context, name string, now time.Time) (bool, error) {
	n, err := bunstore.Affected(s.db.From(ctx).NewUpdate().Model((*serverRow)(nil)).Set("removed_at = ?", now).
		Where("name = ?", name).Where("removed_at IS NULL").Exec(ctx))
	return n == 1, err
}

// RemovedServer returns the ID of a server that was removed before the given time, or "" if no such server is left.
func (s store) RemovedServer(ctx context.Context, before time.Time) (string, error) {
	var id string
	err := s.db.From(ctx).NewSelect().Model((*serverRow)(nil)).Column("id").
		Where("removed_at < ?", before).Order("id").Limit(1).Scan(ctx, &id)
	return id, bunstore.IgnoreNoRows(err)
}

// ForgetServer deletes a server and its organizations. Their tokens must have been deleted before.
func (s store) ForgetServer(ctx context.Context, id string) error {
	if _, err := s.db.From(ctx).NewDelete().Model((*realmRow)(nil)).Where("server_id = ?", id).Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewDelete().Model((*serverRow)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}
