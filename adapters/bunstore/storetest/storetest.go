// Package storetest gives tests an empty database: SQLite in memory, or, when STOA_TEST_DATABASE is postgres, a
// database made for the test on the server that STOA_TEST_POSTGRES_URL names.
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

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx", to make and drop databases

	"github.com/stoachat/stoa/adapters/bunstore"
)

// Postgres tells whether the tests run on PostgreSQL.
func Postgres() bool { return os.Getenv("STOA_TEST_DATABASE") == "postgres" }

// Open gives an empty database that is gone after the test.
func Open(t testing.TB) *bunstore.DB {
	t.Helper()
	return OpenURL(t, bunstore.Config{URL: URL(t)})
}

// Patience multiplies the time-outs of databases in tests: on a busy machine a test is slow, which must not fail it.
const Patience = 30

// OpenURL opens a database until the end of the test. Its time-outs are multiplied by Patience unless c says otherwise.
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

// URL gives the address of an empty database that several may open and that is gone after the test.
func URL(t testing.TB) string {
	t.Helper()
	if Postgres() {
		return PostgresURL(t)
	}
	return SQLiteURL(t)
}

// SQLiteURL gives the address of a file, in memory where the system has such a directory.
func SQLiteURL(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(memory(), "stoa-test-*") //nolint:usetesting // t.TempDir is on the disk
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return "sqlite:" + filepath.Join(dir, "stoa.db")
}

// PostgresURL makes a database. The test is skipped without a server.
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

func memory() string {
	if s, err := os.Stat("/dev/shm"); err == nil && s.IsDir() {
		return "/dev/shm"
	}
	return ""
}
