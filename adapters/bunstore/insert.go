package bunstore

import (
	"context"
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"
)

// arraysFrom is the smallest number of rows that PostgreSQL inserts faster from arrays than from a VALUES list.
const arraysFrom = 8

// InsertText returns an INSERT statement for rows, without a semicolon. The columns in except get their defaults, and
// so do zero values of fields with the option nullzero, whose columns must default to NULL.
//
// PostgreSQL parses and plans every value of a VALUES list separately, which takes longer than writing the rows, so
// many rows are sent as one array per column.
func InsertText[T any](db *DB, rows []T, except ...string) (string, error) {
	if db.dialect.oneWriter() || len(rows) < arraysFrom {
		return db.Text(db.From(context.Background()).NewInsert().Model(&rows).ExcludeColumn(except...).Returning("NULL"))
	}
	gen := db.pools[Reading].QueryGen()
	table := gen.Dialect().Tables().Get(reflect.TypeFor[T]())
	fields := slices.DeleteFunc(slices.Clone(table.Fields), func(f *schema.Field) bool {
		return slices.Contains(except, f.Name)
	})
	b := append([]byte("INSERT INTO "), table.SQLName...)
	b = append(b, " ("...)
	for i, f := range fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, f.SQLName...)
	}
	b = append(b, ") SELECT * FROM unnest("...)
	values := reflect.ValueOf(rows)
	for i, f := range fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, "'{"...)
		for j := range rows {
			if j > 0 {
				b = append(b, ',')
			}
			b = appendElement(b, f.AppendValue(gen, nil, values.Index(j)))
		}
		b = append(b, "}'::"...)
		b = append(b, f.CreateTableSQLType...)
		b = append(b, "[]"...)
	}
	return string(append(b, ')')), nil
}

// appendElement appends an SQL literal to an array literal. A quoted one keeps its doubled apostrophes, since the array
// literal is quoted, too.
func appendElement(b, literal []byte) []byte {
	if literal[0] != '\'' {
		return append(b, literal...)
	}
	b = append(b, '"')
	for _, c := range literal[1 : len(literal)-1] {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}
