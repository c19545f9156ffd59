// Package storetest provides empty databases for tests: SQLite in memory, or, if STOA_TEST_DATABASE is postgres, a
// database created for the test on the server of STOA_TEST_POSTGRES_URL. If it is pgbouncer, that database is used
// through the pooler at STOA_TEST_PGBOUNCER.
package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx", to create and drop databases

	"github.com/stoachat/stoa/adapters/bunstore"
)

// Postgres reports whether tests run on PostgreSQL.
func Postgres() bool {
	name := os.Getenv("STOA_TEST_DATABASE")
	return name == "postgres" || name == "pgbouncer"
}

// Open returns an empty database that is deleted after the test.
func Open(t testing.TB) *bunstore.DB {
	t.Helper()
	return OpenURL(t, bunstore.Config{URL: URL(t)})
}

// Patience multiplies database timeouts in tests, so that they pass on slow machines.
const Patience = 30

// OpenURL opens a database until the end of the test. Its timeouts are multiplied by Patience unless c sets a value.
func OpenURL(t testing.TB, c bunstore.Config) *bunstore.DB {
	t.Helper()
	if c.Patience == 0 {
		c.Patience = Patience
	}
	db, err := bunstore.Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// URL returns the URL of an empty database, which can be opened several times and is deleted after the test.
func URL(t testing.TB) string {
	t.Helper()
	if os.Getenv("STOA_TEST_DATABASE") == "pgbouncer" {
		return PoolerURL(t)
	}
	if Postgres() {
		return PostgresURL(t)
	}
	return SQLiteURL(t)
}

// SQLiteURL returns the URL of a new file, in a memory file system if there is one.
func SQLiteURL(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(memory(), "stoa-test-*") //nolint:usetesting // t.TempDir is on the disk
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return "sqlite:" + filepath.Join(dir, "stoa.db")
}

// PostgresURL creates a database and returns its URL. It skips the test if no server is configured.
func PostgresURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv("STOA_TEST_POSTGRES_URL")
	if server == "" {
		t.Skip("STOA_TEST_POSTGRES_URL names no server")
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	admin, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	name := "stoa_test_" + strings.ToLower(rand.Text())
	if _, err := admin.ExecContext(context.Background(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		_ = admin.Close()
	})
	u.Path = "/" + name
	return u.String()
}

// PoolerURL creates a database and returns its URL through the pooler of STOA_TEST_PGBOUNCER. It skips the test if no
// pooler is configured.
func PoolerURL(t testing.TB) string {
	t.Helper()
	pooler := os.Getenv("STOA_TEST_PGBOUNCER")
	if pooler == "" {
		t.Skip("STOA_TEST_PGBOUNCER names no pooler")
	}
	u, err := url.Parse(PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Host = pooler
	return u.String()
}

func memory() string {
	if s, err := os.Stat("/dev/shm"); err == nil && s.IsDir() {
		return "/dev/shm"
	}
	return ""
}
