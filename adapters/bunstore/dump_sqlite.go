package bunstore

import (
	"context"
	"fmt"
	"time"
)

func (sqliteDialect) dumpSettings() []string { return nil }

func (sqliteDialect) tableBytes() string {
	return "SELECT count(*) * (SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()) " +
		"FROM sqlite_schema WHERE type = 'table' AND name = ?"
}

func (sqliteDialect) lastIDs() (exists, query string) {
	return "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'",
		`SELECT name AS "table", seq AS id FROM sqlite_sequence`
}

func (sqliteDialect) dump(ctx context.Context, t *Tx, r Relation, query string, fn func(Row) error) error {
	rows, err := t.conn.Conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	values, into := make([]any, len(r.Columns)), make([]any, len(r.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	var row Row
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row = row[:0]
		for i, v := range values {
			switch v := v.(type) {
			case nil:
				row = append(row, rowNull)
			case int64:
				row = row.appendInt(v)
			case bool:
				row = row.appendInt(0)
				if v {
					row = row[:len(row)-2].appendInt(1)
				}
			case float64:
				row = row.appendFloat(v)
			case string:
				row = row.appendText(v)
			case []byte:
				row = row.appendBytes(v)
			case time.Time:
				row = row.appendText(v.UTC().Format(timeLayout))
			default:
				return fmt.Errorf("the column %s contains a %T", r.Columns[i], v)
			}
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// timeLayout is the format of times in Rows and in SQLite, where they are texts.
const timeLayout = "2006-01-02 15:04:05.999999-07:00"

// sqliteBlock is the number of rows that a transaction inserts. Without a limit, the write-ahead log would become as
// large as the table.
const sqliteBlock = 100_000
