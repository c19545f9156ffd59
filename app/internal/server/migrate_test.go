package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
)

// versions returns the modules of a program, one of which has the given migrations.
func versions(files ...string) []kit.Module {
	all := fstest.MapFS{}
	for _, f := range files {
		name, text, _ := strings.Cut(f, ": ")
		all["migrations/"+name+".sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	return append(catalog(), kit.Define("grown", "G.", kit.None{}, func(kit.None, in) (kit.Parts, error) {
		return kit.Parts{Migrations: fs.FS(all)}, nil
	}))
}

// While a migration takes long, /health says what the server does, and nobody sends it requests.
func TestProgressOfMigration(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	db, err := bunstore.Open(t.Context(), bunstore.Config{URL: "sqlite::memory:", Observe: func(sql string) {
		if strings.Contains(sql, "CREATE TABLE slow") {
			close(begun)
			<-goOn
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	o := options("modules:\n" + sound + "  grown: {}\n")
	o.DB, o.Serving = db, true
	s, err := New(t.Context(), o, versions("1: CREATE TABLE quick (id bigint)", "2: CREATE TABLE slow (id bigint)")...)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(t.Context()) }()
	testrun.Receive(t, begun, "begin of the migration")
	health := func(path string) (status int, text string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	for path, want := range map[string]int{"/health": 503, "/health/ready": 503, "/health/live": 200, "/": 503} {
		status, text := health(path)
		if status != want || strings.HasPrefix(path, "/health") && want == 503 &&
			!strings.Contains(text, `"The server is migrating its database; step `) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	close(goOn)
	if err := testrun.Receive(t, served, "end of the start"); err != nil {
		t.Fatal(err)
	}
	if status, text := health("/health/ready"); status != 200 {
		t.Errorf("after the migration: %d %s", status, text)
	}
	if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// Before an existing SQLite database is migrated, it is copied, and an interrupted migration keeps the copy of the
// state before it. Nothing is copied if there is nothing to migrate.
func TestCopyBeforeMigration(t *testing.T) {
	dir := t.TempDir()
	up := func(version string, force bool, all []kit.Module) error {
		t.Helper()
		s, err := New(t.Context(), Options{
			ConfigText: "modules:\n" + sound + "  grown: {}\n",
			Set:        map[string]string{"data_dir": dir, "http.addr": "127.0.0.1:0"},
			Log:        slog.New(slog.DiscardHandler), Version: version, Force: force, Serving: true,
		}, all...)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Start(t.Context())
		if stop := s.Stop(context.WithoutCancel(t.Context())); stop != nil {
			t.Error(stop)
		}
		return err
	}
	copies := func(want ...string) {
		t.Helper()
		var got []string
		found, err := filepath.Glob(filepath.Join(dir, "backups", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			got = append(got, filepath.Base(f))
		}
		if !slices.Equal(got, want) {
			t.Errorf("copies %v, want %v", got, want)
		}
	}
	const first, second, third, broken = "1: CREATE TABLE first (id bigint)", "2: CREATE TABLE second (id bigint)",
		"3: CREATE TABLE third (id bigint)", "3: CREATE NOTHING"
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(up("v1.0.0", false, versions(first)))
	must(up("v1.0.1", false, versions(first)))
	copies()
	if err := up("v2.0.0", false, versions(first, second, broken)); err == nil {
		t.Error("a broken migration succeeded")
	}
	copies("pre-v2.0.0.db", "pre-v2.0.0.db.unfinished")
	must(up("v2.0.0", false, versions(first, second, third)))
	copies("pre-v2.0.0.db")
	db, err := bunstore.Open(t.Context(), bunstore.Config{
		URL: "sqlite:" + filepath.Join(dir, "backups", "pre-v2.0.0.db"), Existing: true,
	})
	must(err)
	for table, want := range map[string]bool{"first": true, "second": false} {
		if has, err := db.HasTable(t.Context(), table); err != nil || has != want {
			t.Errorf("the copy has the table %s: %v, %v", table, has, err)
		}
	}
	steps, err := db.Steps(t.Context())
	must(err)
	must(db.Close())
	const fourth, fifth = "4: CREATE TABLE fourth (id bigint)", "5: CREATE TABLE fifth (id bigint)"
	must(up("v2.0.0", false, versions(first, second, third, fourth))) // as if a module had been enabled
	copies("pre-v2.0.0.db")
	if n, err := bunstore.Steps(t.Context(), filepath.Join(dir, "backups", "pre-v2.0.0.db")); err != nil || n != steps+2 {
		t.Errorf("the copy has %d steps, want %d: %v", n, steps+2, err)
	}
	must(os.WriteFile(filepath.Join(dir, "backups", ".pre.db"), []byte("of a process that was killed"), 0o600))
	must(up("v3.0.0/../", false, versions(first, second, third, fourth, fifth)))
	copies("pre-v3.0.0...db")
}
