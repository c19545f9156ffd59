package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// ledger creates the table of the applied steps.
const ledger = `CREATE TABLE IF NOT EXISTS schema_migrations
	(module text NOT NULL, name text NOT NULL, applied_at text NOT NULL, kind text NOT NULL DEFAULT '',
	version text NOT NULL DEFAULT '', PRIMARY KEY (module, name))`

// createLedger creates the table of the applied steps, or adds the columns that earlier versions lack.
func createLedger(ctx context.Context, t *Tx) error {
	if _, err := t.Run(ctx, ledger); err != nil {
		return err
	}
	rows, err := t.handle.QueryContext(ctx, "SELECT * FROM schema_migrations WHERE false")
	if err != nil {
		return err
	}
	columns, err := rows.Columns()
	//nolint:sqlclosecheck // before the statements below
	if err = errors.Join(err, rows.Err(), rows.Close()); err != nil || slices.Contains(columns, "kind") {
		return err
	}
	for _, c := range []string{"kind", "version"} {
		if _, err := t.Run(ctx, "ALTER TABLE schema_migrations ADD COLUMN "+c+" text NOT NULL DEFAULT ''"); err != nil {
			return err
		}
	}
	return nil
}

// Record is a row of the table of applied steps.
type Record struct {
	bun.BaseModel `bun:"table:schema_migrations"`
	Module        string `bun:",pk"`
	Name          string `bun:",pk"`
	AppliedAt     string
	Kind          Kind   // "": applied by a program that did not record it
	Version       string // of the program that applied it, or ""
}

// Records returns the steps that the database records, sorted.
func (db *DB) Records(ctx context.Context) ([]Record, error) {
	var done []Record
	exists, err := db.HasTable(ctx, "schema_migrations")
	if err == nil && exists { // in a table of earlier versions, the newer columns are missing
		err = db.From(ctx).NewRaw("SELECT * FROM schema_migrations").Scan(ctx, &done)
	}
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	slices.SortFunc(done, func(a, b Record) int {
		return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.Name, b.Name))
	})
	return done, nil
}

// Applied names a step that a database records.
type Applied struct {
	Module string `json:"module"`
	Name   string `json:"name"`
}

// Applied returns the names of the steps that the database records, sorted.
func (db *DB) Applied(ctx context.Context) ([]Applied, error) {
	records, err := db.Records(ctx)
	return namesOf(records), err
}

func namesOf(records []Record) []Applied {
	var names []Applied
	for _, r := range records {
		names = append(names, Applied{r.Module, r.Name})
	}
	return names
}

// record returns the statement that records a step.
func (db *DB) record(s Step, version string) string {
	const insert = "INSERT INTO schema_migrations (module, name, applied_at, kind, version) " +
		"VALUES (?, ?, CURRENT_TIMESTAMP, ?, ?)"
	return bun.NewRawQuery(db.pools[Reading], insert, s.Module, s.Name, s.Header.Kind, version).String()
}
