package bunstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

var bg = context.Background()

func files(steps ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for i, s := range steps {
		fs[fmt.Sprintf("migrations/%03d_step.sql", i+1)] = &fstest.MapFile{Data: []byte(s)}
	}
	return fs
}

const things = `CREATE TABLE things (id bigint PRIMARY KEY, name text, at text NOT NULL);
	CREATE UNIQUE INDEX things_name ON things (name);`

type thing struct {
	bun.BaseModel `bun:"table:things"`

	ID   int64 `bun:",pk"`
	Name string
	At   time.Time
}

func open(t *testing.T) *bunstore.DB {
	t.Helper()
	db := storetest.Open(t)
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}}))
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func add(ctx context.Context, db *bunstore.DB, id int64, name string) error {
	_, err := db.From(ctx).NewInsert().Model(&thing{ID: id, Name: name, At: time.Now().UTC()}).Exec(ctx)
	return err
}

func count(t *testing.T, ctx context.Context, db *bunstore.DB) int64 {
	t.Helper()
	n, err := db.From(ctx).NewSelect().Model((*thing)(nil)).Count(ctx)
	must(t, err)
	return n
}

func TestWritesRequireTransaction(t *testing.T) {
	db := open(t)
	if err := add(bg, db, 1, "a"); err == nil {
		t.Fatal("a write without Do succeeded")
	}
	if count(t, bg, db) != 0 {
		t.Fatal("the row was written")
	}
}

func TestTuples(t *testing.T) {
	db := open(t)
	tx, _, err := db.Begin(bg, bunstore.Changing)
	must(t, err)
	for i, name := range []string{"a", "b", "c'?"} {
		must(t, add(db.With(bg, tx), db, int64(i+1), name))
	}
	must(t, tx.Commit(bg))
	for _, c := range []struct {
		rows [][]any
		want []int64
	}{
		{[][]any{{1, "a"}}, []int64{1}},
		{[][]any{{1, "a"}, {2, "a"}, {3, "c'?"}}, []int64{1, 3}},
		{[][]any{{2, "a"}, {1, "b"}}, nil},
	} {
		var ids []int64
		must(t, db.From(bg).NewSelect().Model((*thing)(nil)).Column("id").Where("(id, name) IN (?)",
			bunstore.Tuples(c.rows)).Order("id").Scan(bg, &ids))
		if !slices.Equal(ids, c.want) {
			t.Errorf("%v: %v, want %v", c.rows, ids, c.want)
		}
	}
}

func TestTransaction(t *testing.T) {
	db := open(t)
	tx, n, err := db.Begin(bg, bunstore.Changing, db.LockSQL(bunstore.RealmLock, 7), "", "SELECT 40 + 2")
	must(t, err)
	if n != 42 {
		t.Errorf("got %d", n)
	}
	ctx := db.With(bg, tx)
	must(t, add(ctx, db, 1, "it's ? 'quoted' \\ é"))
	if count(t, ctx, db) != 1 || count(t, bg, db) != 0 || count(t, db.Without(ctx), db) != 0 {
		t.Error("the row must be visible only inside the transaction")
	}
	if err := db.From(ctx).RunInTx(ctx, nil, func(context.Context, bun.Tx) error { return nil }); err == nil {
		t.Error("a nested transaction succeeded")
	}
	text, err := db.Text(db.From(ctx).NewInsert().Model(&thing{ID: 2, Name: "?; COMMIT; --", At: time.Now()}))
	must(t, err)
	must(t, tx.Commit(bg, text))
	tx.Rollback()
	var got []thing
	must(t, db.From(bg).NewSelect().Model(&got).Order("id").Scan(bg))
	if len(got) != 2 || got[0].Name != "it's ? 'quoted' \\ é" || got[1].Name != "?; COMMIT; --" {
		t.Errorf("%+v", got)
	}

	tx, _, err = db.Begin(bg, bunstore.Batching)
	must(t, err)
	must(t, add(db.With(bg, tx), db, 3, "gone"))
	tx.Rollback()
	if count(t, bg, db) != 2 {
		t.Error("rolled back")
	}
}

func TestConflict(t *testing.T) {
	db := open(t)
	tx, _, err := db.Begin(bg, bunstore.Changing)
	must(t, err)
	defer tx.Rollback()
	ctx := db.With(bg, tx)
	must(t, add(ctx, db, 1, "a"))
	err = add(ctx, db, 2, "a")
	if !db.Conflict(err) || db.Retryable(err) || db.Unavailable(err) {
		t.Errorf("unique index: %v", err)
	}
	err = tx.Commit(bg)
	if storetest.Postgres() == (err == nil) {
		t.Errorf("commit after a failed statement: %v", err)
	}
	if db.Conflict(nil) || db.Conflict(context.Canceled) {
		t.Error("not conflicts")
	}
	tx, _, err = db.Begin(bg, bunstore.Changing)
	must(t, err)
	must(t, add(db.With(bg, tx), db, 5, "five"))
	if err := tx.Commit(bg, "INSERT INTO things VALUES (5, 'b', '')"); !db.Conflict(err) {
		t.Errorf("conflict in the commit: %v", err)
	}
	var n int
	must(t, db.From(bg).NewRaw("SELECT count(*) FROM things WHERE id = 5").Scan(bg, &n))
	if n != 0 {
		t.Error("a failed commit was applied in part")
	}
}

func TestSnapshotDoesNotMove(t *testing.T) {
	db := open(t)
	tx, n, err := db.Begin(bg, bunstore.Reading, "SELECT count(*) FROM things")
	must(t, err)
	defer tx.Rollback()
	w, _, err := db.Begin(bg, bunstore.Changing)
	must(t, err)
	must(t, add(db.With(bg, w), db, 1, "a"))
	must(t, w.Commit(bg))
	if got := count(t, db.With(bg, tx), db); n != 0 || got != 0 {
		t.Errorf("%d, then %d", n, got)
	}
	if err := add(db.With(bg, tx), db, 2, "b"); err == nil {
		t.Error("a write in a snapshot succeeded")
	}
}

func TestFailedStepIsRolledBack(t *testing.T) {
	db := storetest.Open(t)
	good, bad := files(things), files("CREATE TABLE a (id bigint)",
		"CREATE TABLE b (id bigint); CREATE TABEL c (id bigint)")
	all := []bunstore.Migrations{{Module: "good", FS: good}, {Module: "bad", FS: bad}, {Module: "none"}}
	err := db.Migrate(bg, all)
	if err == nil || !strings.Contains(err.Error(), "module bad, step 002_step") {
		t.Fatalf("got %v", err)
	}
	tables := func() []string {
		cols, err := db.Schema(bg)
		must(t, err)
		var out []string
		for _, c := range cols {
			out = append(out, c.Table)
		}
		return slices.Compact(out)
	}
	if got := fmt.Sprint(tables()); got != "[a schema_migrations things]" {
		t.Errorf("tables %s", got)
	}
	all[1].FS = files("CREATE TABLE a (id bigint)", "CREATE TABLE b (id bigint)")
	steps, err := db.Migrations(bg, all)
	must(t, err)
	if got := states(steps); got != "[good/001_step true bad/001_step true bad/002_step false]" {
		t.Errorf("status %s", got)
	}
	must(t, db.Migrate(bg, all))
	must(t, db.Migrate(bg, all))
	if got := fmt.Sprint(tables()); got != "[a b schema_migrations things]" {
		t.Errorf("tables %s", got)
	}
}

// states lists steps, and whether each is applied.
func states(steps []bunstore.Step) string {
	var all []any
	for _, s := range steps {
		all = append(all, s, s.Applied)
	}
	return fmt.Sprint(all)
}

func TestOlderVersionRefusesToStart(t *testing.T) {
	db := storetest.Open(t)
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things, "CREATE TABLE b (id bigint)")},
		{Module: "gone", FS: files("CREATE TABLE c (id bigint)")}}))
	err := db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}})
	if err == nil || !strings.Contains(err.Error(), "a newer version") ||
		!strings.Contains(err.Error(), "module m (step 002_step)") {
		t.Errorf("got %v", err)
	}
	// A module that is no longer part of the server.
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things, "CREATE TABLE b (id bigint)")}}))
}

// A renamed module keeps its tables, and earlier versions refuse to start.
func TestRenamedModule(t *testing.T) {
	db := storetest.Open(t)
	const create, insert = "CREATE TABLE a (id bigint)", "INSERT INTO a (id) VALUES (7)"
	old := []bunstore.Migrations{{Module: "old", FS: files(create, insert)}}
	now := []bunstore.Migrations{{Module: "new", Former: "old", FS: files(create, insert, "ALTER TABLE a RENAME TO b")}}
	must(t, db.Migrate(bg, old))
	steps, err := db.Migrations(bg, now)
	must(t, err)
	if got := states(steps); got != "[new/001_step true new/002_step true new/003_step false]" {
		t.Errorf("status %s", got)
	}
	for range 2 {
		must(t, db.Migrate(bg, now))
	}
	var id int
	must(t, db.From(bg).NewRaw("SELECT id FROM b").Scan(bg, &id))
	if err := db.Migrate(bg, old); id != 7 || err == nil || !strings.Contains(err.Error(), "a newer version") {
		t.Errorf("id %d, and the earlier version got %v", id, err)
	}
}

func TestConcurrentMigration(t *testing.T) {
	url := storetest.URL(t)
	var wg sync.WaitGroup
	for range 4 {
		db := storetest.OpenURL(t, bunstore.Config{URL: url})
		wg.Go(func() {
			if err := db.Migrate(bg, []bunstore.Migrations{{Module: "m",
				FS: files(things, "CREATE TABLE b (id bigint)")}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestDiffer(t *testing.T) {
	db := open(t)
	a, err := db.Schema(bg)
	must(t, err)
	if got := fmt.Sprint(a[len(a)-3:]); got != "[things.at not null things.id not null things.name]" {
		t.Errorf("schema %s", got)
	}
	b := slices.Clone(a)
	b[len(b)-1].Nullable = false
	if got := bunstore.Differences(a, b); len(got) != 2 || !strings.Contains(got[0], "only in the first: things.name") {
		t.Errorf("%v", got)
	}
	if got := bunstore.Differences(a, a); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte("not a database, but long enough to be looked at as one"), 0o600))
	for _, url := range []string{"", "mysql://x", "sqlite:" + file + "/below/a/file.db", "sqlite:" + file,
		"postgres://nobody@127.0.0.1:1/none", "postgres://:::"} {
		ctx, cancel := context.WithTimeout(bg, testrun.Patience)
		if db, err := bunstore.Open(ctx, bunstore.Config{URL: url}); err == nil {
			t.Errorf("%q opened", url)
			_ = db.Close()
		}
		cancel()
	}
}

// TestSQLiteSettings checks the guarantees of the default database: durability after a power cut, and support for any
// file name.
func TestSQLiteSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a dir?", "100% #1.db")
	must(t, os.Mkdir(filepath.Dir(path), 0o700))
	db := storetest.OpenURL(t, bunstore.Config{URL: "sqlite:" + path, Patience: 1})
	tx, _, err := db.Begin(bg, bunstore.Changing)
	must(t, err)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1",
		"busy_timeout": "5000"} {
		var got string
		must(t, db.From(db.With(bg, tx)).NewRaw("PRAGMA "+pragma).Scan(bg, &got))
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
	tx.Rollback()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestMemoryIsRemoved(t *testing.T) {
	db, err := bunstore.Open(bg, bunstore.Config{URL: "sqlite::memory:"})
	must(t, err)
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}}))
	if count(t, bg, db) != 0 {
		t.Error("rows")
	}
	var file string
	must(t, db.From(bg).NewRaw("SELECT file FROM pragma_database_list").Scan(bg, &file))
	must(t, db.Close())
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("%s: %v", file, err)
	}
}

// TestCancelledStatement checks that a connection returns to the pool in a clean state if the caller's context is
// canceled while a statement runs.
func TestCancelledStatement(t *testing.T) {
	db := open(t)
	for range 20 {
		ctx, cancel := context.WithCancel(bg)
		tx, _, err := db.Begin(ctx, bunstore.Changing)
		must(t, err)
		must(t, add(db.With(ctx, tx), db, 1, "a"))
		cancel()
		_ = add(db.With(ctx, tx), db, 2, "b")
		tx.Rollback()
	}
	tx, _, err := db.Begin(bg, bunstore.Changing)
	must(t, err)
	must(t, add(db.With(bg, tx), db, 1, "a"))
	must(t, tx.Commit(bg))
	if count(t, bg, db) != 1 {
		t.Error("canceled transactions left rows")
	}
}

// TestMigrationFiles checks what a migration may consist of: one text with words that each database replaces, and a
// file for one of them.
func TestMigrationFiles(t *testing.T) {
	db := storetest.Open(t)
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	fs := fstest.MapFS{
		"migrations/001_a.sql": file(`CREATE TABLE a (id {id}, n {int} NOT NULL, m {int32}, k {int16}, at {time}, b {bytes},
			s text {bytewise});
			CREATE TABLE c (x {int}, y {int}, PRIMARY KEY (x, y)) {clustered};`),
		"migrations/001_a.sqlite.sql":   file("INSERT INTO a (n, s) VALUES (1, 'both')"),
		"migrations/001_a.postgres.sql": file("INSERT INTO a (n, s) VALUES (1, 'both')"),
		"migrations/002_b.postgres.sql": file("UPDATE a SET s = s || ', once'"),
		"migrations/002_b.sqlite.sql":   file("UPDATE a SET s = s || ', once'"),
	}
	m := func() []bunstore.Migrations { return []bunstore.Migrations{{Module: "m", FS: fs}} }
	must(t, db.Migrate(bg, m()))
	delete(fs, "migrations/002_b.postgres.sql")
	delete(fs, "migrations/002_b.sqlite.sql")
	fs["migrations/002_better.sql"] = file("-- Formerly 002_b.\nUPDATE a SET s = s || ', twice'")
	must(t, db.Migrate(bg, m()))
	var s string
	must(t, db.From(bg).NewRaw("SELECT s FROM a WHERE id = 1").Scan(bg, &s))
	if s != "both, once" {
		t.Errorf("the row says %q", s)
	}
	fs["migrations/003_c.sql"] = file("CREATE TABLE d (n {number})")
	if err := db.Migrate(bg, m()); err == nil || !strings.Contains(err.Error(), "step 003_c: unknown word {number}") {
		t.Errorf("an unknown word: %v", err)
	}
}
