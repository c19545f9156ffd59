package bunstore_test

import (
	"database/sql"
	"fmt"
	"reflect"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// TestSharedSessions checks that the limits of each purpose hold behind a pooler that shares sessions between its
// clients, in and outside of transactions, and that they do not remain in the sessions.
func TestSharedSessions(t *testing.T) {
	url := storetest.PoolerURL(t)
	other, err := sql.Open("pgx", url+"&default_query_exec_mode=simple_protocol")
	must(t, err)
	defer func() { _ = other.Close() }()
	const ask = `SELECT concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
		current_setting('idle_in_transaction_session_timeout'), current_setting('transaction_read_only'),
		current_setting('default_transaction_read_only'), current_setting('jit'))`
	settings := func() (s string) {
		must(t, other.QueryRow(ask).Scan(&s))
		return s
	}
	before := settings()
	db := storetest.OpenURL(t, bunstore.Config{URL: url, Patience: 1})
	check := func(what string, p bunstore.Purpose, want string, first ...string) {
		t.Helper()
		tx, _, err := db.Begin(bg, p, first...)
		must(t, err)
		defer tx.Rollback()
		var got string
		if must(t, db.From(db.With(bg, tx)).NewRaw(ask).Scan(bg, &got)); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	check("units of work", bunstore.Changing, "1min 10s 20s off off off")
	check("with a lock", bunstore.Changing, "1min 10s 2s off off off", db.LockSQL(bunstore.RealmLock, 1))
	check("writers", bunstore.Batching, "5s 5s 2s off off off")
	check("snapshots", bunstore.Reading, "1min 10s 1min on off off")
	var got string
	must(t, db.From(bg).NewRaw(ask).Scan(bg, &got))
	if want := "1min 10s 1min on off off"; got != want {
		t.Errorf("outside of transactions: %s, want %s", got, want)
	}
	for range 10 {
		if after := settings(); after != before {
			t.Errorf("a session has %s, before it had %s", after, before)
		}
	}
}

// TestSharedSessionsReturnTheSame checks that statements return the same behind a pooler: values, columns without rows,
// errors, and what follows an error.
func TestSharedSessionsReturnTheSame(t *testing.T) {
	pooled := storetest.OpenURL(t, bunstore.Config{URL: storetest.PoolerURL(t)})
	direct := storetest.OpenURL(t, bunstore.Config{URL: storetest.PostgresURL(t)})
	for _, q := range []string{
		`SELECT true, 1::int2, -2::int4, 9007199254740993::int8, 1.5::float4, 2.25::float8, 1.10::numeric, 'a;b''?'::text,
			'c'::varchar, '\x00ff'::bytea, '{"a": 1}'::json, '{"a": 1}'::jsonb, '2026-11-26'::date,
			'2026-11-26 01:02:03.456'::timestamp, '2026-11-26 01:02:03.456+00'::timestamptz, 7::oid, NULL::int8, '{1,2}'::int8[]`,
		`SELECT g, NULLIF(g, 3) FROM generate_series(1, 2000) g`,
		`SELECT 1 AS a, 'x' AS b WHERE false`,
		`SELECT 1 / 0`,
		`SELECT 1 / (3 - g) FROM generate_series(1, 5) g`,
		`SELECT FROM nowhere`,
		`SELECT 'after'`,
	} {
		if a, b := values(direct, q), values(pooled, q); !reflect.DeepEqual(a, b) {
			t.Errorf("%s:\n%v\nbehind a pooler:\n%v", q, a, b)
		}
	}
	if _, err := pooled.From(bg).NewRaw("CREATE TABLE made (id bigint)").Exec(bg); err == nil {
		t.Error("a write without a transaction succeeded")
	}
}

// values returns the columns, types and values of a statement, and its error.
func values(db *bunstore.DB, query string) []any {
	rows, err := db.From(bg).QueryContext(bg, query)
	if err != nil {
		return []any{err.Error()}
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	out := []any{columns, err}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return append(out, err.Error())
		}
		for _, v := range row {
			out = append(out, fmt.Sprintf("%T %v", v, v))
		}
	}
	return append(out, rows.Err())
}
