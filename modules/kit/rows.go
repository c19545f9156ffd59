package kit

// Rows identifies the rows of a table that belong to a realm. They are deleted with it, in batches. A module declares
// each of its tables that holds data of a realm. The table has a column realm_id unless User is set.
type Rows struct {
	Table string
	// User is the column with the ID of the owning user, for tables without realm_id.
	User string
	// Key is the ID column of a table that is too large to delete at once, or that With refers to.
	Key  string
	With []Hanging
}

// Hanging identifies rows of another table that are deleted together with the row whose Key is in their Column.
type Hanging struct{ Table, Column string }

// RowsOf declares tables with a column realm_id.
func RowsOf(tables ...string) []Rows {
	all := make([]Rows, len(tables))
	for i, t := range tables {
		all[i] = Rows{Table: t}
	}
	return all
}
