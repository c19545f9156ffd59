package bunstore

import (
	"context"
	"fmt"
)

// LockRestore locks out other restores into the same database until release is called. It returns a nil release if
// another one is running. A SQLite database is opened with Config.Exclusive instead.
func (db *DB) LockRestore(ctx context.Context) (release func(), err error) {
	try := db.dialect.tryLockRestore()
	if try == "" {
		return func() {}, nil
	}
	t, n, err := db.Begin(ctx, Changing, db.dialect.disableTimeouts(), try)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		t.Rollback()
		return nil, nil
	}
	return t.Rollback, nil
}

func (sqliteDialect) tryLockRestore() string { return "" }

func (postgresDialect) tryLockRestore() string {
	return fmt.Sprintf("SELECT pg_try_advisory_xact_lock(%d)::int", int64(restoreLock)<<56)
}
