package bunstore

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// Migrations holds the migrations of a module. Each consists of the files in FS that exist: migrations/NNN_name.sql,
// which both databases run, and NNN_name.sqlite.sql and NNN_name.postgres.sql, which one of them runs after that. Where
// only words differ, such as the names of types, the text contains words in braces: {id}, {int}, {int32}, {int16},
// {time}, {bytes}, {bytewise} and {clustered}. A migration that was renamed begins with the line "-- Formerly NAME.".
type Migrations struct {
	Module string
	Former string // the module's name in earlier versions, or ""
	FS     fs.FS
}

// renamed is the step recorded under a module's former name, so that earlier versions refuse the database.
const renamed = "renamed"

// Step is a migration and its state.
type Step struct {
	Module, Name string
	Former       string // the name that earlier versions recorded, or ""
	Applied      bool
}

const createLedger = `CREATE TABLE IF NOT EXISTS schema_migrations
	(module text NOT NULL, name text NOT NULL, applied_at text NOT NULL, PRIMARY KEY (module, name))`

// Migrate applies all missing migrations: modules in the given order, each module's steps sorted by name. Every step
// runs in a separate transaction under a lock, so that several nodes may start at the same time, and a failed step
// leaves no trace.
func (db *DB) Migrate(ctx context.Context, all []Migrations) error {
	return db.MigrateIf(ctx, all, nil)
}

// MigrateIf is Migrate with a condition that is checked in the transaction of each step; nil means none.
func (db *DB) MigrateIf(ctx context.Context, all []Migrations, allowed func(context.Context) error) error {
	step := func(ctx context.Context, fn func(context.Context, *Tx) error) error {
		return db.step(ctx, func(ctx context.Context, t *Tx) error {
			if allowed != nil {
				if err := allowed(db.With(ctx, t)); err != nil {
					return err
				}
			}
			return fn(ctx, t)
		})
	}
	if err := db.step(ctx, func(ctx context.Context, t *Tx) error {
		_, err := t.Run(ctx, createLedger)
		return err
	}); err != nil {
		return fmt.Errorf("migrate: %w", explainMigration(err))
	}
	for _, m := range all {
		if m.Former != "" {
			if err := step(ctx, func(ctx context.Context, t *Tx) error { return t.rename(ctx, m) }); err != nil {
				return fmt.Errorf("migrate: rename module %s: %w", m.Former, err)
			}
		}
	}
	steps, err := db.Migrations(ctx, all)
	if err != nil {
		return err
	}
	for i, s := range steps {
		if s.Applied {
			continue
		}
		text, err := db.statements(fsOf(all, s.Module), s.Name)
		if err == nil {
			err = step(ctx, func(ctx context.Context, t *Tx) error { return t.migrate(ctx, steps[i], text) })
		}
		if err != nil {
			return fmt.Errorf("migrate: module %s, step %s: %w", s.Module, s.Name, err)
		}
	}
	return nil
}

// Applied is a step that a database records.
type Applied struct {
	Module string `json:"module"`
	Name   string `json:"name"`
}

// Applied returns the steps that the database records, sorted.
func (db *DB) Applied(ctx context.Context) ([]Applied, error) {
	var done []Applied
	exists, err := db.HasTable(ctx, "schema_migrations")
	if err == nil && exists {
		err = db.From(ctx).NewRaw("SELECT module, name FROM schema_migrations").Scan(ctx, &done)
	}
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	slices.SortFunc(done, func(a, b Applied) int {
		return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.Name, b.Name))
	})
	return done, nil
}

// Migrations lists all steps in the order of Migrate. It fails if the database records a step that this program lacks,
// because this version would not maintain a newer version's data.
func (db *DB) Migrations(ctx context.Context, all []Migrations) ([]Step, error) {
	done, err := db.Applied(ctx)
	if err != nil {
		return nil, err
	}
	steps, lacking, err := Compare(all, done)
	if err != nil {
		return nil, err
	}
	for _, k := range lacking {
		if fsOf(all, k.Module) != nil {
			return nil, fmt.Errorf(
				"migrations: a newer version of this program has changed the tables of module %s (step %s): "+
					"run that version, or restore a backup from before it", k.Module, k.Name)
		}
	}
	return steps, nil
}

// Compare lists all steps in the order of Migrate, with the state that a database records. It also returns what the
// database records and this program lacks: steps of newer versions, and those of modules that do not run.
func Compare(all []Migrations, done []Applied) (steps []Step, lacking []Applied, err error) {
	applied := map[Applied]bool{}
	for _, d := range done {
		if now := currentName(all, d.Module); now == d.Module || d.Name != renamed {
			applied[Applied{now, d.Name}] = true
		}
	}
	for _, m := range all {
		names, err := StepNames(m.FS)
		if err != nil {
			return nil, nil, fmt.Errorf("migrations of module %s: %w", m.Module, err)
		}
		for _, name := range names {
			s := Step{Module: m.Module, Name: name, Former: formerName(m.FS, name)}
			for _, k := range []Applied{{m.Module, s.Name}, {m.Module, s.Former}} {
				s.Applied = s.Applied || applied[k]
				delete(applied, k)
			}
			steps = append(steps, s)
		}
	}
	for _, d := range done {
		if k := (Applied{currentName(all, d.Module), d.Name}); applied[k] {
			lacking = append(lacking, k)
		}
	}
	return steps, lacking, nil
}

// MigrateTo gives an empty database the tables that another had after the given steps.
func (db *DB) MigrateTo(ctx context.Context, all []Migrations, done []Applied) error {
	steps, _, err := Compare(all, done)
	if err != nil {
		return err
	}
	if err := db.runAll(ctx, []string{createLedger}); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, s := range steps {
		if !s.Applied {
			continue
		}
		text, err := db.statements(fsOf(all, s.Module), s.Name)
		if err == nil {
			err = db.runAll(ctx, []string{text, db.record(s)})
		}
		if err != nil {
			return fmt.Errorf("migrate: module %s, step %s: %w", s.Module, s.Name, err)
		}
	}
	return nil
}

// record returns the statement that records a step.
func (db *DB) record(s Step) string {
	const insert = "INSERT INTO schema_migrations (module, name, applied_at) VALUES (?, ?, CURRENT_TIMESTAMP)"
	return bun.NewRawQuery(db.pools[Reading], insert, s.Module, s.Name).String()
}

// currentName returns the current name of a module that may have been renamed.
func currentName(all []Migrations, module string) string {
	for _, m := range all {
		if m.Former == module {
			return m.Module
		}
	}
	return module
}

// rename records a module's steps under its present name. The former name gets a step that earlier versions do not
// know, so that they refuse the database.
func (t *Tx) rename(ctx context.Context, m Migrations) error {
	var n int
	err := t.handle.NewRaw("SELECT count(*) FROM schema_migrations WHERE module = ? AND name <> ?", m.Former, renamed).
		Scan(ctx, &n)
	if err != nil || n == 0 {
		return err
	}
	if _, err := t.handle.NewRaw("UPDATE schema_migrations SET module = ? WHERE module = ? AND name <> ?",
		m.Module, m.Former, renamed).Exec(ctx); err != nil {
		return err
	}
	_, err = t.handle.NewRaw("INSERT INTO schema_migrations (module, name, applied_at) VALUES (?, ?, CURRENT_TIMESTAMP)",
		m.Former, renamed).Exec(ctx)
	return err
}

func (t *Tx) migrate(ctx context.Context, s Step, text string) error {
	var n int
	err := t.handle.NewRaw("SELECT count(*) FROM schema_migrations WHERE module = ? AND name IN (?, ?)",
		s.Module, s.Name, s.Former).Scan(ctx, &n)
	if err != nil || n > 0 {
		return err // another node has applied the step
	}
	if _, err := t.Run(ctx, text); err != nil {
		return err
	}
	_, err = t.Run(ctx, t.db.record(s))
	return err
}

// WithMigrationLock runs fn in a transaction, at a time at which no migration runs. Stores use the transaction through
// the context. A process that hangs meanwhile loses the lock soon, as all processes need it.
func (db *DB) WithMigrationLock(ctx context.Context, fn func(context.Context) error) error {
	return db.lockMigrations(ctx, "", func(ctx context.Context, t *Tx) error { return fn(db.With(ctx, t)) })
}

// step runs a step of a migration in a transaction under the migration lock.
func (db *DB) step(ctx context.Context, fn func(context.Context, *Tx) error) error {
	return db.lockMigrations(ctx, db.dialect.disableTimeouts(), fn)
}

// lockMigrations runs fn in a transaction under the migration lock, for which it waits. then is a statement that
// follows the lock, or "".
func (db *DB) lockMigrations(ctx context.Context, then string, fn func(context.Context, *Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	t, _, err := db.Begin(ctx, Changing, db.dialect.disableTimeouts(), db.LockSQL(MigrationLock, 0), then)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := fn(ctx, t); err != nil {
		return err
	}
	return t.Commit(ctx)
}

func fsOf(all []Migrations, module string) fs.FS {
	for _, m := range all {
		if m.Module == module {
			return m.FS
		}
	}
	return nil
}
