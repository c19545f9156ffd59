package bunstore

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// Migrations holds the migrations of a module. Each consists of the files in FS that exist: migrations/NNN_name.sql,
// which both databases run, and NNN_name.sqlite.sql and NNN_name.postgres.sql, which one of them runs after that. Where
// only words differ, such as the names of types, the text contains words in braces: {id}, {int}, {int32}, {int16},
// {time}, {bytes}, {bytewise} and {clustered}. Each migration begins with a line that states its Kind. In a migration
// that was renamed, the line "-- Formerly NAME." precedes it.
type Migrations struct {
	Module string
	Former string // the module's name in earlier versions, or ""
	FS     fs.FS
}

// renamed is the step recorded under a module's former name, so that earlier versions refuse the database.
const renamed = "renamed"

// RenameOf returns the name of the step by which a module takes over the tables that it had under its former name.
func RenameOf(m Migrations) string { return m.Module + "/" + renamed }

// Step is a migration and its state.
type Step struct {
	Module, Name string
	Former       string // the name that earlier versions recorded, or ""
	Header       Header
	Applied      bool
	New          bool // no step of the module is applied, so no program uses its tables yet
}

// Breaks reports whether applying the step would break programs that do not know it.
func (s Step) Breaks() bool { return !s.Applied && !s.New && s.Header.Kind == Contract }

// Waits reports whether the step is missing until an upgrade is finished, and is not needed before.
func (s Step) Waits() bool { return s.Breaks() && !s.Header.Required }

// String returns the step as module/name.
func (s Step) String() string { return s.Module + "/" + s.Name }

// Upgrade specifies which migrations to apply.
type Upgrade struct {
	Version string // of this program, to be recorded
	Finish  bool   // also those that wait (Step.Waits)
	// Allowed is checked in the transaction of each step that breaks other programs; nil means that there are none.
	Allowed func(context.Context) error
	// Began, if not nil, is called before each step, with its number and that of all steps to apply.
	Began func(s Step, n, all int)
}

// Migrate applies all missing migrations: modules in the given order, each module's steps sorted by name. Every step
// runs in a separate transaction under a lock, so that several nodes may start at the same time, and a failed step
// leaves no trace.
func (db *DB) Migrate(ctx context.Context, all []Migrations) error {
	return db.Upgrade(ctx, all, Upgrade{Finish: true})
}

// Upgrade is Migrate for a database that other programs may be using.
func (db *DB) Upgrade(ctx context.Context, all []Migrations, u Upgrade) error {
	breaking := func(ctx context.Context, fn func(context.Context, *Tx) error) error {
		return db.step(ctx, func(ctx context.Context, t *Tx) error {
			if u.Allowed != nil {
				if err := u.Allowed(db.With(ctx, t)); err != nil {
					return err
				}
			}
			return fn(ctx, t)
		})
	}
	if err := db.step(ctx, createLedger); err != nil {
		return fmt.Errorf("migrate: %w", explainMigration(err))
	}
	renamed, err := db.Renamed(ctx, all)
	if err != nil {
		return err
	}
	for _, m := range renamed {
		if err := breaking(ctx, func(ctx context.Context, t *Tx) error { return t.rename(ctx, m) }); err != nil {
			return fmt.Errorf("migrate: rename module %s: %w", m.Former, err)
		}
	}
	steps, err := db.Migrations(ctx, all)
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(s Step) bool { return s.Applied || s.Waits() && !u.Finish })
	for i, s := range steps {
		if u.Began != nil {
			u.Began(s, i+1, len(steps))
		}
		text, err := db.statements(fsOf(all, s.Module), s.Name)
		if err == nil {
			run := db.step
			if s.Breaks() {
				run = breaking
			}
			err = run(ctx, func(ctx context.Context, t *Tx) error { return t.migrate(ctx, s, u.Version, text) })
		}
		if err != nil {
			return fmt.Errorf("migrate: module %s, step %s: %w", s.Module, s.Name, err)
		}
	}
	return nil
}

// Migrations lists all steps in the order of Migrate. It fails if the database records a step that this program lacks
// and that breaks it.
func (db *DB) Migrations(ctx context.Context, all []Migrations) ([]Step, error) {
	done, err := db.Records(ctx)
	if err != nil {
		return nil, err
	}
	steps, lacking, err := Compare(all, namesOf(done))
	if err != nil {
		return nil, err
	}
	for _, k := range lacking {
		i := slices.IndexFunc(done, func(r Record) bool { return currentName(all, r.Module) == k.Module && r.Name == k.Name })
		if fsOf(all, k.Module) == nil || done[i].Kind == Expand {
			continue
		}
		by := "a newer version of this program"
		if v := done[i].Version; v != "" {
			by += " (" + v + ")"
		}
		return nil, fmt.Errorf("migrations: %s has changed the tables of module %s (step %s), and this version cannot use "+
			"them: run that version, or restore a backup from before it", by, k.Module, k.Name)
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
		first := len(steps)
		for _, name := range names {
			h := headerOf(m.FS, name)
			s := Step{Module: m.Module, Name: name, Former: h.Former, Header: h}
			for _, k := range []Applied{{m.Module, s.Name}, {m.Module, s.Former}} {
				s.Applied = s.Applied || applied[k]
				delete(applied, k)
			}
			steps = append(steps, s)
		}
		own := steps[first:]
		fresh := !slices.ContainsFunc(own, func(s Step) bool { return s.Applied })
		for i := range own {
			own[i].New = fresh
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
	if err := db.runAll(ctx, []string{ledger}); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, s := range steps {
		if !s.Applied {
			continue
		}
		text, err := db.statements(fsOf(all, s.Module), s.Name)
		if err == nil {
			err = db.runAll(ctx, []string{text, db.record(s, "")})
		}
		if err != nil {
			return fmt.Errorf("migrate: module %s, step %s: %w", s.Module, s.Name, err)
		}
	}
	return nil
}

// Renamed returns the modules whose steps the database records under their former names.
func (db *DB) Renamed(ctx context.Context, all []Migrations) ([]Migrations, error) {
	done, err := db.Applied(ctx)
	var out []Migrations
	for _, m := range all {
		former := func(a Applied) bool { return a.Module == m.Former && a.Name != renamed }
		if m.Former != "" && slices.ContainsFunc(done, former) {
			out = append(out, m)
		}
	}
	return out, err
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

// rename records a module's steps under its present name, unless another node has. The former name gets a step that
// earlier versions do not know, so that they refuse the database.
func (t *Tx) rename(ctx context.Context, m Migrations) error {
	moved, err := Changed(t.handle.NewRaw("UPDATE schema_migrations SET module = ? WHERE module = ? AND name <> ?",
		m.Module, m.Former, renamed).Exec(ctx))
	if err != nil || !moved {
		return err
	}
	_, err = t.Run(ctx, t.db.record(Step{Module: m.Former, Name: renamed, Header: Header{Kind: Contract}}, ""))
	return err
}

func (t *Tx) migrate(ctx context.Context, s Step, version, text string) error {
	var n int
	err := t.handle.NewRaw("SELECT count(*) FROM schema_migrations WHERE module = ? AND name IN (?, ?)",
		s.Module, s.Name, s.Former).Scan(ctx, &n)
	if err != nil || n > 0 {
		return err // another node has applied the step
	}
	if _, err := t.Run(ctx, text); err != nil {
		return err
	}
	_, err = t.Run(ctx, t.db.record(s, version))
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
