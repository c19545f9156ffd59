package kittest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

// Creating and dropping a PostgreSQL database takes longer than most tests. A template therefore keeps the copies that
// tests have used, and restores their rows. Copies whose tables have changed or that have grown are dropped.

// savedSchema is the schema in a template's database that holds copies of the tables that have rows.
const savedSchema = "kittest_saved"

// grown is how many bytes a copy may have grown.
const grown = 8 << 20

// shape is a query whose result differs between databases with different tables.
const shape = `SELECT md5(string_agg(c.relname || '.' || a.attname, ',' ORDER BY c.relname, a.attname))
	FROM pg_attribute a
	JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0`

// saveRows saves the rows in the template's database, and builds the SQL that restores them.
func (tmpl *template) saveRows(t testing.TB, url string) {
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
	exec(ctx, t, conn, "CREATE SCHEMA "+savedSchema)
	for _, table := range strs(`SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace ` +
		`AND relkind = 'r' ORDER BY 1`) {
		fmt.Fprintf(&b, "DELETE FROM public.%s;\n", table)
		if strs("SELECT EXISTS (SELECT 1 FROM public." + table + ")::text")[0] == "false" {
			continue
		}
		columns := strs(`SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
			WHERE attrelid = 'public.` + table + `'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`)[0]
		exec(ctx, t, conn, fmt.Sprintf("CREATE TABLE %s.%s AS SELECT %s FROM public.%[2]s", savedSchema, table, columns))
		fmt.Fprintf(&b, "INSERT INTO public.%s (%s) OVERRIDING SYSTEM VALUE SELECT * FROM %s.%[1]s;\n",
			table, columns, savedSchema)
	}
	for _, s := range strs(`SELECT format('SELECT setval(%L, %s, %L);', 'public.' || quote_ident(sequencename),
		coalesce(last_value, start_value),
		last_value IS NOT NULL) FROM pg_sequences WHERE schemaname = 'public'`) {
		b.WriteString(s + "\n")
	}
	tmpl.restore = b.String()
	if err := conn.QueryRow(ctx, "SELECT ("+shape+"), pg_database_size(current_database())").Scan(&tmpl.shape,
		&tmpl.size); err != nil {
		t.Fatal(err)
	}
}

// borrow returns the URL of a copy of the template that no other test is using.
func (tmpl *template) borrow(t testing.TB) string {
	t.Helper()
	tmpl.mu.Lock()
	var url string
	if n := len(tmpl.copies); n > 0 {
		url, tmpl.copies = tmpl.copies[n-1], tmpl.copies[:n-1]
	}
	tmpl.mu.Unlock()
	if url == "" {
		name := temporary(t)
		admin(t, "CREATE DATABASE "+name+" TEMPLATE "+tmpl.name)
		url = at(t, name)
	}
	t.Cleanup(func() {
		if t.Failed() || !tmpl.restored(t, url) {
			admin(t, "DROP DATABASE IF EXISTS "+nameIn(t, url)+" WITH (FORCE)")
			return
		}
		tmpl.mu.Lock()
		defer tmpl.mu.Unlock()
		tmpl.copies = append(tmpl.copies, url)
	})
	return url
}

// restored restores the rows of a copy. It returns false if the copy cannot be reused.
func (tmpl *template) restored(t testing.TB, url string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testrun.Patience)
	defer cancel()
	conn := connect(ctx, t, url)
	defer func() { _ = conn.Close(ctx) }()
	var tables string
	var size int64
	if err := conn.QueryRow(ctx, "SELECT ("+shape+"), pg_database_size(current_database())").Scan(&tables,
		&size); err != nil {
		t.Errorf("inspect a database: %v", err)
		return false
	}
	if tables != tmpl.shape || size > tmpl.size+grown {
		return false
	}
	exec(ctx, t, conn, tmpl.restore)
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
