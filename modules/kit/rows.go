package kit

// Rows identifies the rows of a table that belong to a realm; they are deleted with it, in blocks. A module declares
// each of its tables that holds data of a realm. The table has a column realm_id unless User is set.
type Rows struct {
	Table string
	// User is the column with the owning user, for tables without a realm.
	User string
	// Key is the ID column of tables that are too large to delete at once, or to whose rows With refers.
	Key  string
	With []Hanging
}

// Hanging identifies rows of another table that are deleted with the rows whose key they reference.
type Hanging struct{ Table, Column string }

// RowsOf declares tables with a column realm_id.
func RowsOf(tables ...string) []Rows {
	all := make([]Rows, len(tables))
	for i, t := range tables {
		all[i] = Rows{Table: t}
	}
	return all
}
