package bunstore

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// Each reads the rows of a query one by one, as the driver gives them: int64, string, []byte, bool, time.Time, float64
// or nil. It is for tens of thousands of rows, of which each value that is put into a field by reflection costs more
// than reading it. The slice is used again for the next row.
func Each(ctx context.Context, q *bun.SelectQuery, fn func(row []any) error) error {
	rows, err := q.Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // what it could tell, Err tells
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

// Time gives the time in a value of Each, in UTC: PostgreSQL's driver gives one, and SQLite has a text.
func Time(v any) (time.Time, error) {
	switch t := v.(type) {
	case time.Time:
		return t.UTC(), nil
	case string:
		at, err := time.Parse("2006-01-02 15:04:05.999999999-07:00", t)
		return at.UTC(), err
	}
	return time.Time{}, fmt.Errorf("bunstore: %T is no time", v)
}
