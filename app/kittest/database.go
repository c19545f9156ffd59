package kittest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stoachat/stoa/app/internal/config"
)

const (
	// Memory is the address of a new SQLite database in memory.
	Memory = "sqlite::memory:"
	// Elsewhere stands, in Options and EachDatabase, for a new database on the server of STOA_TEST_POSTGRES_URL. For
	// anything but a Server, Real makes one.
	Elsewhere = "postgres::new:"
)

const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// database gives the kind that STOA_TEST_DATABASE asks for: sqlite (also when it is not set) or postgres.
func database(t testing.TB) string {
	t.Helper()
	switch kind := os.Getenv("STOA_TEST_DATABASE"); kind {
	case "":
		return sqlite
	case sqlite, postgres:
		return kind
	default:
		t.Fatalf("STOA_TEST_DATABASE: unknown database %q%s", kind, config.Suggest(kind, []string{sqlite, postgres}))
		return ""
	}
}

// DatabaseURL gives Memory or Elsewhere, as STOA_TEST_DATABASE asks for.
func DatabaseURL(t testing.TB) string { t.Helper(); return empty(database(t)) }

// Real gives an address that anybody may connect to: url, or for Elsewhere that of a new database.
func Real(t testing.TB, url string) string {
	t.Helper()
	if url == Elsewhere {
		return Postgres(t)
	}
	return url
}

func empty(kind string) string {
	if kind == postgres {
		return Elsewhere
	}
	return Memory
}

// EachDatabase runs a test on the database that STOA_TEST_DATABASE asks for; if it is not set, on SQLite and, where
// STOA_TEST_POSTGRES_URL names a server, on PostgreSQL. The address is Memory or Elsewhere.
func EachDatabase(t *testing.T, test func(t *testing.T, url string)) {
	if os.Getenv("STOA_TEST_DATABASE") != "" {
		kind := database(t)
		t.Run(kind, func(t *testing.T) { test(t, empty(kind)) })
		return
	}
	bothDatabases(t, test)
}

// bothDatabases runs a test that compares the databases.
func bothDatabases(t *testing.T, test func(t *testing.T, url string)) {
	t.Run(sqlite, func(t *testing.T) { test(t, Memory) })
	if os.Getenv("STOA_TEST_DATABASE") == sqlite {
		return // a run on PostgreSQL follows
	}
	t.Run(postgres, func(t *testing.T) {
		if os.Getenv("STOA_TEST_POSTGRES_URL") == "" {
			t.Skip("STOA_TEST_POSTGRES_URL names no server")
		}
		test(t, Elsewhere)
	})
}

// Postgres makes a database on the server of STOA_TEST_POSTGRES_URL, which is dropped at the end of the test.
func Postgres(t testing.TB) string {
	t.Helper()
	name := "stoa_test_" + strings.ToLower(rand.Text())
	admin(t, "CREATE DATABASE "+name)
	t.Cleanup(func() { admin(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return at(t, name)
}

// temporary gives the name of a database to be made that nothing drops while the process runs.
func temporary(t testing.TB) string {
	t.Helper()
	now := admin(t, "SELECT extract(epoch FROM now())::bigint::text")
	return "stoa_template_" + strings.Join(now, "") + "_" + strings.ToLower(rand.Text())
}

// template makes such a database; those that were left behind more than a day ago go.
func template(t testing.TB) (name, url string) {
	t.Helper()
	old := admin(t, `SELECT datname FROM pg_database WHERE datname ~ '^stoa_template_[0-9]+_'
		AND split_part(datname, '_', 3)::bigint < extract(epoch FROM now()) - 86400`)
	for _, name := range old {
		admin(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
	name = temporary(t)
	admin(t, "CREATE DATABASE "+name)
	return name, at(t, name)
}

// nameIn gives the name of the database at an address.
func nameIn(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// at gives the address of a database on the server.
func at(t testing.TB, name string) string {
	t.Helper()
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatalf("STOA_TEST_POSTGRES_URL: %v", err)
	}
	u.Path = "/" + name
	return u.String()
}

func server(t testing.TB) string {
	t.Helper()
	url := os.Getenv("STOA_TEST_POSTGRES_URL")
	if url == "" {
		t.Fatal("STOA_TEST_POSTGRES_URL must name a PostgreSQL server where databases may be made")
	}
	return url
}

// admin gives the texts of the rows that a statement gives.
func admin(t testing.TB, statement string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, server(t))
	if err != nil {
		t.Fatalf("connect to STOA_TEST_POSTGRES_URL: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, statement)
	if err != nil {
		t.Errorf("%s: %v", statement, err)
		return nil
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Errorf("%s: %v", statement, err)
	}
	return all
}
