package bunstore

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// Each calls fn with each row of a query. Values are as returned by the driver: int64, string, []byte, bool, time.Time,
// float64 or nil. Use it for tens of thousands of rows, where reflection costs more than reading. The slice is reused
// for the next row.
func Each(ctx context.Context, q *bun.SelectQuery, fn func(row []any) error) error {
	rows, err := q.Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the same error
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := fn(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Time converts a value from Each to a time in UTC: PostgreSQL's driver returns times, SQLite's returns strings.
func Time(v any) (time.Time, error) {
	switch t := v.(type) {
	case time.Time:
		return t.UTC(), nil
	case string:
		at, err := time.Parse("2006-01-02 15:04:05.999999999-07:00", t)
		return at.UTC(), err
	}
	return time.Time{}, fmt.Errorf("bunstore: %T is not a time", v)
}
