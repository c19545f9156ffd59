package bunstore

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Tuples writes rows of values for "(a, b) IN (?)" in a form that both databases accept. bun.Tuple adds another pair
// of parentheses, which fails for more than one row.
func Tuples[T any](rows [][]T) schema.QueryAppender {
	return tuples{bun.In(rows)} //nolint:staticcheck // bun.List can't write a list of tuples
}

type tuples struct{ rows schema.QueryAppender }

// AppendQuery implements schema.QueryAppender.
func (t tuples) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	return t.rows.AppendQuery(gen, append(b, "VALUES "...))
}
