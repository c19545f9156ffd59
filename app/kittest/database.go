package kittest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stoachat/stoa/app/internal/config"
)

// Memory is the address of an SQLite database in memory.
const Memory = "sqlite::memory:"

// DatabaseURL gives a new, empty database of the kind that STOA_TEST_DATABASE asks for: sqlite (also when it is not set) or
// postgres.
func DatabaseURL(t testing.TB) string {
	t.Helper()
	switch kind := os.Getenv("STOA_TEST_DATABASE"); kind {
	case "", "sqlite":
		return Memory
	case "postgres":
		return Postgres(t)
	default:
		t.Fatalf("STOA_TEST_DATABASE: unknown database %q%s", kind, config.Suggest(kind, []string{"sqlite", "postgres"}))
		return ""
	}
}

// EachDatabase runs a test on the database that STOA_TEST_DATABASE asks for; if it is not set, on SQLite and, where
// STOA_TEST_POSTGRES_URL names a server, on PostgreSQL.
func EachDatabase(t *testing.T, test func(t *testing.T, url string)) {
	if kind := os.Getenv("STOA_TEST_DATABASE"); kind != "" {
		t.Run(kind, func(t *testing.T) { test(t, DatabaseURL(t)) })
		return
	}
	bothDatabases(t, test)
}

func bothDatabases(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, Memory) })
	t.Run("postgres", func(t *testing.T) {
		if os.Getenv("STOA_TEST_POSTGRES_URL") == "" {
			t.Skip("STOA_TEST_POSTGRES_URL names no server")
		}
		test(t, Postgres(t))
	})
}

// Postgres makes a database on the server of STOA_TEST_POSTGRES_URL, which is dropped at the end of the test.
func Postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv("STOA_TEST_POSTGRES_URL")
	if server == "" {
		t.Fatal("STOA_TEST_POSTGRES_URL must name a PostgreSQL server where databases may be made")
	}
	at, err := url.Parse(server)
	if err != nil {
		t.Fatalf("STOA_TEST_POSTGRES_URL: %v", err)
	}
	name := "stoa_test_" + strings.ToLower(rand.Text())
	admin(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { admin(t, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	at.Path = "/" + name
	return at.String()
}

func admin(t testing.TB, server, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("connect to STOA_TEST_POSTGRES_URL: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Errorf("%s: %v", statement, err)
	}
}
