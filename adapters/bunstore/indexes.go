package bunstore

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Index is an index that a migration creates by name.
type Index struct {
	Table, Name string
	Definition  string // the statement that creates it
}

// indexStatement matches the statements of migrations that create or drop indexes, or rename or drop tables.
var indexStatement = regexp.MustCompile(`(?is)\b(?:` +
	`CREATE\s+(?:UNIQUE\s+)?INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s+ON\s+(\w+)[^;]*` +
	`|DROP\s+INDEX\s+(?:IF\s+EXISTS\s+)?(\w+)` +
	`|ALTER\s+TABLE\s+(\w+)\s+RENAME\s+TO\s+(\w+)` +
	`|DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?(\w+))`)

var comment = regexp.MustCompile(`(?m)--.*$`)

// DeclaredIndexes returns the indexes that a database has after the given migrations, without those of primary keys and
// of UNIQUE in tables.
func (db *DB) DeclaredIndexes(all []Migrations) ([]Index, error) {
	var out []Index
	for _, m := range all {
		names, err := StepNames(m.FS)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := db.statements(m.FS, name)
			if err != nil {
				return nil, err
			}
			out = followIndexes(out, comment.ReplaceAllString(text, ""))
		}
	}
	return out, nil
}

// followIndexes returns the indexes after the statements of a migration.
func followIndexes(all []Index, text string) []Index {
	for _, m := range indexStatement.FindAllStringSubmatch(text, -1) {
		created, on, dropped, from, to, gone := m[1], m[2], m[3], m[4], m[5], m[6]
		switch {
		case created != "":
			all = append(all, Index{on, created, strings.TrimSpace(m[0])})
		case dropped != "":
			all = slices.DeleteFunc(all, func(i Index) bool { return i.Name == dropped })
		case gone != "":
			all = slices.DeleteFunc(all, func(i Index) bool { return i.Table == gone })
		case from != "":
			on := regexp.MustCompile(`(?i)(\sON\s+)` + from + `\b`)
			for i := range all {
				if all[i].Table == from {
					all[i].Table, all[i].Definition = to, on.ReplaceAllString(all[i].Definition, "${1}"+to)
				}
			}
		}
	}
	return all
}

// HasIndexes returns which of the given indexes exist, by name.
func (db *DB) HasIndexes(ctx context.Context, all []Index) (map[string]bool, error) {
	exists := map[string]bool{}
	tables := map[string]bool{}
	for _, i := range all {
		tables[i.Table] = true
	}
	for table := range tables {
		var found []struct{ Name, Definition string }
		if err := db.From(ctx).NewRaw(db.dialect.indexes(), table).Scan(ctx, &found); err != nil {
			return nil, fmt.Errorf("indexes: %w", err)
		}
		for _, f := range found {
			exists[f.Name] = true
		}
	}
	return exists, nil
}

// CreateIndex creates an index. Writers wait.
func (db *DB) CreateIndex(ctx context.Context, i Index) error {
	return db.step(ctx, func(ctx context.Context, t *Tx) error {
		_, err := t.Run(ctx, i.Definition)
		return err
	})
}

// CheckEntries compares the indexes with their tables, and reports what differs. It reads the whole database, and is
// meant for a database that nobody uses. PostgreSQL has an extension for that, amcheck, which needs a superuser; there,
// the result names the indexes whose creation has failed.
func (db *DB) CheckEntries(ctx context.Context) ([]string, error) {
	var found []string
	if err := db.pools[Reading].NewRaw(db.dialect.checkEntries()).Scan(ctx, &found); err != nil {
		return nil, fmt.Errorf("compare the indexes with their tables: %w", err)
	}
	return slices.DeleteFunc(found, func(line string) bool { return line == "ok" }), nil
}

// Reindex writes again all indexes that CheckEntries may have named.
func (db *DB) Reindex(ctx context.Context) error { return db.alone(ctx, db.dialect.reindex()) }

// Space is how much of a SQLite database is unused.
type Space struct{ Bytes, Unused int64 }

// Space returns how much of the database is unused. It is zero if the database is not a file of SQLite.
func (db *DB) Space(ctx context.Context) (Space, error) {
	if db.file == nil {
		return Space{}, nil
	}
	var s Space
	err := db.pools[Reading].NewRaw("SELECT page_count * page_size AS bytes, freelist_count * page_size AS unused "+
		"FROM pragma_page_count, pragma_page_size, pragma_freelist_count").Scan(ctx, &s.Bytes, &s.Unused)
	return s, err
}

// Compact writes a SQLite database again without what is unused. Nobody else may use it meanwhile.
func (db *DB) Compact(ctx context.Context) error {
	if db.file == nil {
		return ErrNotSQLite
	}
	return db.alone(ctx, "VACUUM")
}

// alone runs a statement outside of a transaction.
func (db *DB) alone(ctx context.Context, statement string) error {
	_, err := db.pools[Changing].ExecContext(ctx, statement)
	if err != nil {
		err = fmt.Errorf("%s: %w", statement, err)
	}
	return err
}

func (postgresDialect) checkEntries() string {
	return `SELECT 'the index ' || c.relname || ' is invalid' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`
}

func (sqliteDialect) checkEntries() string { return "PRAGMA integrity_check(20)" }

func (postgresDialect) reindex() string {
	return `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
		LOOP EXECUTE 'REINDEX INDEX ' || t; END LOOP;
	END $$`
}

func (sqliteDialect) reindex() string { return "REINDEX" }
