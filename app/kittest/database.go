package kittest

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/spelling"
)

const (
	// Memory is the URL of a new SQLite database in memory.
	Memory = "sqlite::memory:"
	// Elsewhere selects, in Options and EachDatabase, a new database on the server of STOA_TEST_POSTGRES_URL. Without a
	// Server, Real creates that database.
	Elsewhere = "postgres::new:"
)

const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// database returns the database selected by STOA_TEST_DATABASE: sqlite (the default) or postgres.
func database(t testing.TB) string {
	t.Helper()
	switch kind := os.Getenv("STOA_TEST_DATABASE"); kind {
	case "":
		return sqlite
	case sqlite, postgres:
		return kind
	default:
		t.Fatalf("STOA_TEST_DATABASE: unknown database %q%s", kind, spelling.Suggest(kind, []string{sqlite, postgres}))
		return ""
	}
}

// DatabaseURL returns Memory or Elsewhere, according to STOA_TEST_DATABASE.
func DatabaseURL(t testing.TB) string { t.Helper(); return empty(database(t)) }

// OnSQLite reports whether a server with the given options would use SQLite.
func OnSQLite(t testing.TB, o Options) bool {
	t.Helper()
	return strings.HasPrefix(cmp.Or(o.DatabaseURL, DatabaseURL(t)), "sqlite:")
}

// Real returns a URL to connect to: url itself, or the URL of a new database if url is Elsewhere.
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

// EachDatabase runs a test on the database selected by STOA_TEST_DATABASE. If that is not set, it runs the test on
// SQLite and, if STOA_TEST_POSTGRES_URL is set, on PostgreSQL. The URL is Memory or Elsewhere.
func EachDatabase(t *testing.T, test func(t *testing.T, url string)) {
	if os.Getenv("STOA_TEST_DATABASE") != "" {
		kind := database(t)
		t.Run(kind, func(t *testing.T) { test(t, empty(kind)) })
		return
	}
	bothDatabases(t, test)
}

// bothDatabases runs a test that compares the two databases.
func bothDatabases(t *testing.T, test func(t *testing.T, url string)) {
	t.Run(sqlite, func(t *testing.T) { test(t, Memory) })
	if os.Getenv("STOA_TEST_DATABASE") == sqlite {
		return // make test runs it again with PostgreSQL
	}
	t.Run(postgres, func(t *testing.T) {
		if os.Getenv("STOA_TEST_POSTGRES_URL") == "" {
			t.Skip("STOA_TEST_POSTGRES_URL names no server")
		}
		test(t, Elsewhere)
	})
}

// Postgres creates a database on the server of STOA_TEST_POSTGRES_URL, and drops it at the end of the test.
func Postgres(t testing.TB) string {
	t.Helper()
	name := "stoa_test_" + strings.ToLower(rand.Text())
	admin(t, "CREATE DATABASE "+name)
	t.Cleanup(func() { admin(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return at(t, name)
}

// temporary returns a name for a database that is not dropped before the process ends.
func temporary(t testing.TB) string {
	t.Helper()
	now := admin(t, "SELECT extract(epoch FROM now())::bigint::text")
	return "stoa_template_" + strings.Join(now, "") + "_" + strings.ToLower(rand.Text())
}

// createTemplate creates a database with such a name, and drops those created more than a day ago.
func createTemplate(t testing.TB) (name, url string) {
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

// nameIn returns the name of the database in a URL.
func nameIn(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// at returns the URL of a database on the test server.
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
		t.Fatal("STOA_TEST_POSTGRES_URL must name a PostgreSQL server on which databases can be created")
	}
	return url
}

// admin runs a statement on the test server and returns its rows as strings.
func admin(t testing.TB, statement string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testrun.Patience)
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
