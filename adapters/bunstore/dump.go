package bunstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Relation is a table whose rows can be copied between databases of both kinds.
type Relation struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // in byte order
	Key     []string `json:"key"`     // the columns by which rows are sorted; texts are compared as bytes

	types []string // of the columns, as the database names them
}

// Dump is a consistent view of the whole database, for copying it while others write.
type Dump struct {
	db *DB
	tx *Tx
}

// Dump begins a dump. It delays no writer. On SQLite, the write-ahead log grows until the dump is closed.
func (db *DB) Dump(ctx context.Context) (*Dump, error) {
	tx, _, err := db.Begin(ctx, Reading, db.dialect.dumpSettings()...)
	if err != nil {
		return nil, fmt.Errorf("read the database: %w", err)
	}
	// The first query takes the snapshot.
	if _, err := tx.Run(ctx, "SELECT count(*) FROM schema_migrations"); err != nil {
		tx.Rollback()
		return nil, fmt.Errorf("read the database: %w", err)
	}
	return &Dump{db, tx}, nil
}

// Close ends the dump.
func (d *Dump) Close() { d.tx.Rollback() }

// With returns a context in which stores read from the dump.
func (d *Dump) With(ctx context.Context) context.Context { return d.db.With(ctx, d.tx) }

// Relations returns all tables of the database but its list of migrations, sorted by name.
func (d *Dump) Relations(ctx context.Context) ([]Relation, error) { return d.db.relations(d.With(ctx)) }

func (db *DB) relations(ctx context.Context) ([]Relation, error) {
	all, err := db.Schema(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Column) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Column, b.Column))
	})
	var out []Relation
	for table := range slices.Values(groups(all)) {
		if name := table[0].Table; name == "schema_migrations" || name == unfinishedRestore {
			continue
		}
		r := Relation{Name: table[0].Table}
		for _, c := range table {
			r.Columns, r.types = append(r.Columns, c.Column), append(r.types, c.Type)
		}
		table = slices.DeleteFunc(slices.Clone(table), func(c Column) bool { return !c.Key })
		slices.SortFunc(table, func(a, b Column) int { return a.Position - b.Position })
		for _, c := range table {
			r.Key = append(r.Key, c.Column)
		}
		if len(r.Key) == 0 {
			r.Key = r.Columns
		}
		out = append(out, r)
	}
	return out, nil
}

// groups splits columns, which are sorted by table, into those of each table.
func groups(all []Column) [][]Column {
	var out [][]Column
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(c Column) bool { return c.Table != all[0].Table })
		if n < 0 {
			n = len(all)
		}
		out, all = append(out, all[:n]), all[n:]
	}
	return out
}

// Rows calls fn with each row of a table, in the order of its key. fn must not keep the row.
func (d *Dump) Rows(ctx context.Context, r Relation, fn func(Row) error) error {
	columns := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		columns[i] = quoted(c)
	}
	order := make([]string, len(r.Key))
	for i, c := range r.Key {
		order[i] = quoted(c)
		if slices.Contains([]string{"text", "name"}, r.types[slices.Index(r.Columns, c)]) {
			order[i] = d.db.dialect.byteOrder(order[i])
		}
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + quoted(r.Name) + " ORDER BY " +
		strings.Join(order, ", ")
	if err := d.db.dialect.dump(ctx, d.tx, r, query, fn); err != nil {
		return fmt.Errorf("read the table %s: %w", r.Name, err)
	}
	return nil
}

// LastIDs returns, by table, the highest ID that was ever given to a row. Tables that never had a row with such an ID
// are omitted.
func (d *Dump) LastIDs(ctx context.Context) (map[string]int64, error) {
	var all []struct {
		Table string
		ID    int64
	}
	exists, query := d.db.dialect.lastIDs()
	if exists != "" {
		if n, err := d.tx.Run(ctx, exists); err != nil || n == 0 {
			return nil, err
		}
	}
	if err := d.tx.handle.NewRaw(query).Scan(ctx, &all); err != nil {
		return nil, fmt.Errorf("read the sequences: %w", err)
	}
	out := map[string]int64{}
	for _, s := range all {
		if s.ID > 0 {
			out[s.Table] = s.ID
		}
	}
	return out, nil
}

// Kind returns sqlite or postgres.
func (db *DB) Kind() string { return db.dialect.name() }

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
