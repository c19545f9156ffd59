package kittest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Creating and dropping a PostgreSQL database takes longer than most tests. So a world keeps the copies that tests have
// used, and restores their rows; a copy whose tables have changed, or that has grown, is dropped.

// saved is the schema in a world's database with copies of the tables that have rows.
const saved = "kittest_saved"

// grown is how many bytes a copy may have grown.
const grown = 8 << 20

// shape is a query whose result differs between databases with different tables.
const shape = `SELECT md5(string_agg(c.relname || '.' || a.attname, ',' ORDER BY c.relname, a.attname))
	FROM pg_attribute a
	JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0`

// preserve saves the rows of the world's database, and builds the SQL that restores them.
func (w *world) preserve(t testing.TB, url string) {
	t.Helper()
	ctx := context.Background()
	conn := connect(ctx, t, url)
	defer func() { _ = conn.Close(ctx) }()
	strs := func(query string) []string {
		t.Helper()
		rows, err := conn.Query(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return all
	}
	var b strings.Builder
	b.WriteString(
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> " +
			"pg_backend_pid();\n",
	)
	exec(ctx, t, conn, "CREATE SCHEMA "+saved)
	for _, table := range strs(`SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace ` +
		`AND relkind = 'r' ORDER BY 1`) {
		fmt.Fprintf(&b, "DELETE FROM public.%s;\n", table)
		if strs("SELECT EXISTS (SELECT 1 FROM public." + table + ")::text")[0] == "false" {
			continue
		}
		columns := strs(`SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
			WHERE attrelid = 'public.` + table + `'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`)[0]
		exec(ctx, t, conn, fmt.Sprintf("CREATE TABLE %s.%s AS SELECT %s FROM public.%[2]s", saved, table, columns))
		fmt.Fprintf(&b, "INSERT INTO public.%s (%s) OVERRIDING SYSTEM VALUE SELECT * FROM %s.%[1]s;\n", table, columns, saved)
	}
	for _, s := range strs(`SELECT format('SELECT setval(%L, %s, %L);', 'public.' || quote_ident(sequencename),
		coalesce(last_value, start_value),
		last_value IS NOT NULL) FROM pg_sequences WHERE schemaname = 'public'`) {
		b.WriteString(s + "\n")
	}
	w.restore = b.String()
	if err := conn.QueryRow(ctx, "SELECT ("+shape+"), pg_database_size(current_database())").Scan(&w.shape,
		&w.size); err != nil {
		t.Fatal(err)
	}
}

// lend returns the URL of a copy of the world that no other test is using.
func (w *world) lend(t testing.TB) string {
	t.Helper()
	w.mu.Lock()
	var url string
	if n := len(w.copies); n > 0 {
		url, w.copies = w.copies[n-1], w.copies[:n-1]
	}
	w.mu.Unlock()
	if url == "" {
		name := temporary(t)
		admin(t, "CREATE DATABASE "+name+" TEMPLATE "+w.name)
		url = at(t, name)
	}
	t.Cleanup(func() {
		if t.Failed() || !w.restored(t, url) {
			admin(t, "DROP DATABASE IF EXISTS "+nameIn(t, url)+" WITH (FORCE)")
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.copies = append(w.copies, url)
	})
	return url
}

// restored restores the rows of a copy, and reports whether it equals the original.
func (w *world) restored(t testing.TB, url string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn := connect(ctx, t, url)
	defer func() { _ = conn.Close(ctx) }()
	var tables string
	var size int64
	if err := conn.QueryRow(ctx, "SELECT ("+shape+"), pg_database_size(current_database())").Scan(&tables,
		&size); err != nil {
		t.Errorf("look at a database: %v", err)
		return false
	}
	if tables != w.shape || size > w.size+grown {
		return false
	}
	exec(ctx, t, conn, w.restore)
	return true
}

func connect(ctx context.Context, t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatalf("connect to %s: %v", url, err)
	}
	return conn
}

// exec runs statements in a single transaction and round trip.
func exec(ctx context.Context, t testing.TB, conn *pgx.Conn, statements string) {
	t.Helper()
	if _, err := conn.PgConn().Exec(ctx, statements).ReadAll(); err != nil {
		t.Fatalf("%v in %s", err, statements)
	}
}
