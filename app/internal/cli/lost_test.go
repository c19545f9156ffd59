package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/standard"
)

// A server whose database file is lost says so, and no new organization takes the place of the old one.
func TestLostDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, standard.Modules(), "--data-dir", dir)
	s.wait("/users/me")
	health := func() (status int, database string) {
		t.Helper()
		res, err := http.Get(s.url + "/health")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		var body struct{ Checks map[string]string }
		if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, body.Checks["server.database"]
	}
	if status, database := health(); status != 200 || database != "ok" {
		t.Errorf("before: %d, database %s", status, database)
	}

	stoa(t, "", "serve", "--http-addr", "127.0.0.1:0", "--data-dir", dir).fails(t, 1, "database.url",
		filepath.Join(dir, "stoa.db"), "process "+strconv.Itoa(os.Getpid()), "--data-dir")
	stoa(t, "", "realm", "list", "--data-dir", dir).ok(t)
	stoa(t, "", "migrate", "up", "--data-dir", dir).ok(t)
	stoa(t, "", "blobs", "check", "--data-dir", dir).ok(t)
	stoa(t, "", "backup", "--data-dir", dir, filepath.Join(t.TempDir(), "copy")).ok(t)

	for _, name := range []string{"stoa.db", "stoa.db-wal", "stoa.db-shm"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if status, database := health(); status != 503 || database != "failing" {
		t.Errorf("after: %d, database %s", status, database)
	}
	if log := s.errs.String(); !strings.Contains(log, "was removed while the server runs") {
		t.Errorf("the log lacks the cause:\n%s", log)
	}
	s.signals <- os.Interrupt
	<-s.code // pending writes may be lost

	for _, args := range [][]string{
		{"serve", "--http-addr", "127.0.0.1:0"}, {"migrate", "up"}, {"init", "--demo"}, {"user", "list"},
	} {
		stoa(t, "", append(args, "--data-dir", dir)...).fails(t, 1, "stoa.db does not exist",
			"blobs, zuliprc, owner-password", "restore the database", "move the folder away")
	}
	absent(t, filepath.Join(dir, "stoa.db"))
	if err := os.WriteFile(filepath.Join(dir, "stoa.db-wal"), []byte("pages"), 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "serve", "--http-addr", "127.0.0.1:0", "--data-dir", dir).fails(t, 1, "delete stoa.db-wal and stoa.db-shm")
	if err := os.WriteFile(filepath.Join(dir, "stoa.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "serve", "--http-addr", "127.0.0.1:0", "--data-dir", dir).fails(t, 1, "stoa.db is empty")
}
