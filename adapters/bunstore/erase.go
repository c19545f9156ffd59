package bunstore

import (
	"context"

	"github.com/uptrace/bun"
)

// DeleteSome deletes up to limit rows of a table in which column has the given value, and returns their number. It must
// run inside a transaction.
func (db *DB) DeleteSome(ctx context.Context, table, column string, value int64, limit int) (int64, error) {
	row := bun.Safe(db.dialect.rowID())
	res, err := db.From(ctx).NewRaw("DELETE FROM ? WHERE ? IN (SELECT ? FROM ? WHERE ? = ? LIMIT ?)",
		bun.Ident(table), row, row, bun.Ident(table), bun.Ident(column), value, limit).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// DeleteIn deletes the rows of a table in which column has one of the values. It must run inside a transaction.
func (db *DB) DeleteIn(ctx context.Context, table, column string, values []int64) error {
	_, err := db.From(ctx).
		NewRaw("DELETE FROM ? WHERE ? IN (?)", bun.Ident(table), bun.Ident(column), bun.List(values)).
		Exec(ctx)
	return err
}

func (postgresDialect) rowID() string { return "ctid" }
func (sqliteDialect) rowID() string   { return "rowid" }
