package kit

// Rows says which rows of a table are a realm's, so that they are deleted with it, in blocks. A module declares each of
// its tables that holds anything of a realm. They have a column realm_id unless User is given.
type Rows struct {
	Table string
	// User is the column with the user whose the rows are, for tables that do not have the realm.
	User string
	// Key is the id of the rows, for tables that have so many that they are walked by it, or on whose ids other rows hang.
	Key  string
	With []Hanging
}

// Hanging are rows of another table that go with those whose key they name.
type Hanging struct{ Table, Column string }

// RowsOf declares tables that have a column realm_id.
func RowsOf(tables ...string) []Rows {
	all := make([]Rows, len(tables))
	for i, t := range tables {
		all[i] = Rows{Table: t}
	}
	return all
}
