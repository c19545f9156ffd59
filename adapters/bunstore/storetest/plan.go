package storetest

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// Plan returns the database's description of a statement's query plan.
func Plan(t testing.TB, db *bunstore.DB, sql string) string {
	t.Helper()
	explain := "EXPLAIN QUERY PLAN "
	if Postgres() {
		explain = "EXPLAIN "
	}
	rows, err := db.From(t.Context()).QueryContext(t.Context(), explain+sql)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }() // rows.Err returns the same error
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		text := new(string) // the last column
		cells[len(cells)-1] = text
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, *text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
