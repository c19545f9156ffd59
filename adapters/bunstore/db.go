// Package bunstore is the store behind every module: one bun database on PostgreSQL or SQLite, the unit of work, the
// realm event log, and the few fragments of SQL in which the two dialects differ.
package bunstore

import (
	"context"

	"github.com/uptrace/bun"
)

// DB is the database. From is the only way to a connection.
type DB struct{}

// From gives the transaction that ctx carries (Do, Snapshot, a Writer's batch), or else a pool that only reads.
func (db *DB) From(ctx context.Context) bun.IDB { return nil }

// ForUpdate locks the rows that q selects until the transaction ends, where the database has row locks.
func (db *DB) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery { return q }

// Conflict tells whether err is a violation of a unique key.
func (db *DB) Conflict(err error) bool { return false }
