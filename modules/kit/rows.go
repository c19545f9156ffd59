package kit

// Rows identifies the rows of a table that belong to a realm. They are deleted in batches when the realm is deleted. A
// module declares each of its tables that contains realm data. The table has a column realm_id unless User is set.
type Rows struct {
	Table string
	// User is the column with the ID of the owning user, for tables without realm_id.
	User string
	// Key is the ID column. It is required for tables that are too large to delete at once and for tables with
	// Dependents.
	Key        string
	Dependents []Dependent
}

// Dependent identifies the rows of another table whose Column refers to the Key of a deleted row. They are deleted with
// it.
type Dependent struct{ Table, Column string }

// RowsOf returns Rows for tables with a column realm_id.
func RowsOf(tables ...string) []Rows {
	all := make([]Rows, len(tables))
	for i, t := range tables {
		all[i] = Rows{Table: t}
	}
	return all
}
