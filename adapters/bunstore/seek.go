package bunstore

import (
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// KeyRange is a part of an index: its first columns have given values, and its last column is an ID in a range. All
// fields are SQL expressions.
type KeyRange struct {
	Columns, Values []string
	ID, From, To    string // inclusive
}

// Within returns the condition that a row is in a part of an index, and the order of the index, for ORDER BY. It is for
// values that are unknown when the query is planned, such as those of an outer row.
func (db *DB) Within(k KeyRange, down bool) (condition, order string) {
	condition, order = db.dialect.within(k)
	if down {
		order = strings.ReplaceAll(order, ",", " DESC,") + " DESC"
	}
	return condition, order
}

// PerRow returns a join of preceding rows with the rows of a table that a subselect from it returns, which may refer to
// the preceding row and runs once for each. The subselect must not select columns: PerRow
// selects the given ones, under the alias. The table's key is id.
func (db *DB) PerRow(table, alias string, columns []string, from *bun.SelectQuery) schema.QueryWithArgs {
	return db.dialect.perRow(table, alias, columns, from)
}

// EachIn returns a join of preceding rows with the rows of a table, under the same alias, that match a condition on
// both. It searches the given index for each preceding row: a planner that considered other joins could choose to read
// all rows in a range of IDs.
func (db *DB) EachIn(table, alias, index, condition string) string {
	return db.dialect.eachIn(table, alias, index, condition)
}

// eachIn relies on OFFSET 0, which keeps the planner from merging the subselect into the join.
func (postgresDialect) eachIn(table, alias, _, condition string) string {
	return "CROSS JOIN LATERAL (SELECT * FROM " + table + " AS " + alias + " WHERE " + condition + " OFFSET 0) AS " + alias
}

func (sqliteDialect) eachIn(table, alias, index, condition string) string {
	return "CROSS JOIN " + table + " AS " + alias + " INDEXED BY " + index + " ON " + condition
}

// within compares whole keys. With equalities, the planner may consider it cheaper to walk the primary key in the order
// of the IDs until a row has the values, which reads the whole table if there is none.
func (postgresDialect) within(k KeyRange) (condition, order string) {
	columns, values := strings.Join(k.Columns, ", ")+", "+k.ID, strings.Join(k.Values, ", ")
	return "(" + columns + ") >= (" + values + ", " + k.From + ") AND (" + columns + ") <= (" + values + ", " + k.To + ")",
		columns
}

func (sqliteDialect) within(k KeyRange) (condition, order string) {
	var b strings.Builder
	for i, c := range k.Columns {
		b.WriteString(c + " = " + k.Values[i] + " AND ")
	}
	return b.String() + k.ID + " >= " + k.From + " AND " + k.ID + " <= " + k.To, k.ID
}

func (postgresDialect) perRow(_, alias string, columns []string, from *bun.SelectQuery) schema.QueryWithArgs {
	return bun.SafeQuery("CROSS JOIN LATERAL (?) AS ?", from.Column(columns...), bun.Ident(alias))
}

func (sqliteDialect) perRow(table, alias string, _ []string, from *bun.SelectQuery) schema.QueryWithArgs {
	return bun.SafeQuery("CROSS JOIN ?0 AS ?1 ON ?1.id IN (?2)", bun.Ident(table), bun.Ident(alias), from.Column("id"))
}
