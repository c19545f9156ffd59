package wasm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:wasm_modules"`
	ID            int64 `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	Name          string     `export:"yes"`
	Version       string     `export:"yes"`
	Manifest      string     `export:"yes,json"`
	Hash          string     `export:"yes"`
	File          []byte     `export:"no"`
	Disabled      string     `export:"yes"`
	NextRun       *time.Time `export:"no"`
	InstalledAt   time.Time  `export:"yes"`
}

func (r *row) guest() (*guest, error) {
	g := &guest{ID: r.ID, Hash: r.Hash, Disabled: r.Disabled, Installed: r.InstalledAt}
	return g, json.Unmarshal([]byte(r.Manifest), &g.Manifest)
}

// queued is a message that a module is to be given.
type queued struct {
	bun.BaseModel `bun:"table:wasm_calls"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	ModuleID      int64
	MessageID     message.ID
	DueAt         time.Time
}

const (
	earliestCall = "SELECT min(due_at) FROM wasm_calls"
	earliestRun  = "SELECT min(next_run) FROM wasm_modules"
)

// Load returns a realm's modules by name.
func (s store) Load(ctx context.Context, r realm.ID) (map[string]*guest, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).ExcludeColumn("file").Where("realm_id = ?", r).Scan(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*guest, len(rows))
	for i := range rows {
		if all[rows[i].Name], err = rows[i].guest(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Save stores an installed module, and sets the ID if it is new.
func (s store) Save(ctx context.Context, r realm.ID, g *guest, file []byte, next *time.Time) error {
	text, err := json.Marshal(g.Manifest)
	if err != nil {
		return err
	}
	one := &row{
		ID: g.ID, RealmID: r, Name: g.Manifest.Name, Version: g.Manifest.Version, Manifest: string(text), Hash: g.Hash,
		File: file, NextRun: next, InstalledAt: g.Installed,
	}
	if g.ID != 0 {
		_, err := s.db.From(ctx).NewUpdate().Model(one).WherePK().Where("realm_id = ?", r).Exec(ctx)
		return err
	}
	return s.db.From(ctx).NewInsert().Model(one).Returning("id").Scan(ctx, &g.ID)
}

// Disable stores why a module no longer runs.
func (s store) Disable(ctx context.Context, id int64, why string) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("disabled = ?", why).Set("next_run = NULL").
		Where("id = ?", id).Exec(ctx)
	return err
}

// Delete deletes a module, its values and what it is to be given.
func (s store) Delete(ctx context.Context, id int64) error {
	for _, model := range []any{(*value)(nil), (*queued)(nil)} {
		if _, err := s.db.From(ctx).NewDelete().Model(model).Where("module_id = ?", id).Exec(ctx); err != nil {
			return err
		}
	}
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id = ?", id).Exec(ctx)
	return err
}

// File returns the package of a module, or nil if the module no longer has that version.
func (s store) File(ctx context.Context, id int64, hash string) ([]byte, error) {
	var file []byte
	_, err := bunstore.Found(s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("file").Where("id = ?", id).
		Where("hash = ?", hash).Scan(ctx, &file))
	return file, err
}

// Enabled returns the modules of all realms that run, with their IDs and hashes.
func (s store) Enabled(ctx context.Context) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Column("id", "hash").Where("disabled = ''").Scan(ctx)
	return rows, err
}

// Disabled returns the names of the modules that were disabled.
func (s store) Disabled(ctx context.Context) ([]string, error) {
	var names []string
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("name").Where("disabled <> ''").Order("name").Limit(10).
		Scan(ctx, &names)
	return names, err
}

// Due returns the next module whose job is due, or nil.
func (s store) Due(ctx context.Context, now time.Time) (*row, error) {
	var one row
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Column("id", "realm_id", "name").
		Where("next_run <= ?", now).Order("next_run", "id").Limit(1).Scan(ctx))
	if err != nil || !found {
		return nil, err
	}
	return &one, nil
}

// Postpone stores when a module's job is due again; nil: never.
func (s store) Postpone(ctx context.Context, id int64, at *time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("next_run = ?", at).Where("id = ?", id).Exec(ctx)
	return err
}

// Queue stores messages that modules are to be given.
func (s store) Queue(ctx context.Context, calls []queued) error {
	_, err := s.db.From(ctx).NewInsert().Model(&calls).Exec(ctx)
	return err
}

// Take returns the next message that a module is to be given, and removes it from the queue; nil if there is none.
func (s store) Take(ctx context.Context) (*queued, error) {
	var one queued
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Order("due_at", "id").Limit(1).Scan(ctx))
	if err != nil || !found {
		return nil, err
	}
	_, err = s.db.From(ctx).NewDelete().Model(&one).WherePK().Where("realm_id = ?", one.RealmID).Exec(ctx)
	return &one, err
}
