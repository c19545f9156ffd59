package bunstore

import (
	"context"
	"strings"
)

// free is the condition for a lease to be free. The table nodes belongs to the server.
const free = "($ = '' OR $ = ? OR $ NOT IN (SELECT id FROM nodes))"

// Free returns the condition that a lease is free to be taken by the node given as argument (ports.Node). column
// holds the ID of the node that holds the lease, or is empty. A lease that the node itself holds is free as well, since
// it may have failed to release it: the node must know what it is working on. Leases of dead nodes are free.
func Free(column string) string { return strings.ReplaceAll(free, "$", column) }

// Held returns the condition that a living node holds a lease.
func Held(column string) string {
	return strings.ReplaceAll("($ <> '' AND $ IN (SELECT id FROM nodes))", "$", column)
}

// HasTable reports whether the database has a table with the given name.
func (db *DB) HasTable(ctx context.Context, name string) (bool, error) {
	n, err := db.From(ctx).NewSelect().TableExpr("("+db.dialect.columns()+") AS t").Where("t.\"table\" = ?", name).
		Count(ctx)
	return n > 0, err
}
