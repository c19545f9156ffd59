package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/standard"
)

// Backups made at any moment of concurrent writes and uploads are complete: each can be restored, has the same rows
// then, and contains everything that was acknowledged before.
func TestBackup(t *testing.T) {
	t.Parallel()
	servers := 25 // each grows without limit while it is busy
	if !testrun.Long() {
		servers = 1
	}
	for range servers {
		t.Run("SQLite", func(t *testing.T) { testBackup(t) })
		if os.Getenv("STOA_TEST_POSTGRES_URL") != "" {
			t.Run("PostgreSQL", func(t *testing.T) { testBackup(t, "--database-url", kittest.Postgres(t)) })
		}
	}
}

// testBackup backs up a server with the given flags.
func testBackup(t *testing.T, flags ...string) {
	dir := t.TempDir()
	flags = append(flags, "--data-dir", dir)
	made := founded(t, flags...)
	s := serve(t, standard.Modules(), flags...)
	busy := keepBusy(t, s, made)
	for range 2 {
		acked, files := busy.acknowledged()
		to := filepath.Join(t.TempDir(), "backups")
		done := stoa(t, "", append([]string{"backup", to}, flags...)...).ok(t)
		if !strings.Contains(done.out, "database: 100 %") || !strings.Contains(done.out, "files: 100 %") || done.err != "" {
			t.Errorf("output: %s%s", done.out, done.err)
		}
		verified := stoa(t, "", "backup", "verify", to).ok(t)
		if !strings.Contains(verified.out, "complete and undamaged") {
			t.Errorf("output: %s", verified.out)
		}
		restored, again := filepath.Join(t.TempDir(), "restored"), filepath.Join(t.TempDir(), "again")
		stoa(t, "", "restore", to, "--keep-outgoing", "--data-dir", restored).ok(t)
		stoa(t, "", "backup", again, "--data-dir", restored).ok(t)
		sameRows(t, readManifest(t, again), readManifest(t, to))
		checkAudit(t, restored)
		checkCopy(t, restored, made.Email, made.Key, acked, files)
	}
	busy.stop()
	s.stop(0)
}

// checkAudit checks that the chain of a restored server's audit log is undamaged and contains the restore.
func checkAudit(t *testing.T, dir string) {
	t.Helper()
	stoa(t, "", "audit", "verify", "--data-dir", dir).ok(t)
	list := stoa(t, "", "audit", "list", "--action", "backup.", "--json", "--data-dir", dir).ok(t).out
	if !strings.Contains(list, "backup.restored") || !strings.Contains(list, "operator") {
		t.Errorf("the audit log: %s", list)
	}
}

// sameRows checks that a restored server has the rows of its backup.
func sameRows(t *testing.T, got, want manifest) {
	t.Helper()
	// The restore itself changes these.
	changed := map[string]bool{"realm_logs": true, "nodes": true, "event_queues": true, "job_leases": true}
	added := map[string]int64{"audit": 1, "audit_personal": 1, "audit_heads": 0} // the entry that it was restored
	if len(got.Tables) != len(want.Tables) {
		t.Fatalf("%d tables, want %d", len(got.Tables), len(want.Tables))
	}
	for n, table := range got.Tables {
		if more, ok := added[table.Name]; ok {
			if table.Name != want.Tables[n].Name || table.Rows != want.Tables[n].Rows+more {
				t.Errorf("restored %v, want %d more rows than %v", table, more, want.Tables[n])
			}
			continue
		}
		if want.Tables[n] != table && !changed[table.Name] {
			t.Errorf("restored %v, want %v", table, want.Tables[n])
		}
	}
}

// manifest is the part of a manifest that tests compare.
type manifest struct {
	Tables []struct {
		Name, Content string
		Rows          int64
		LastID        int64 `json:"last_id"`
	}
	Files struct{ Count int }
}

// readManifest returns the manifest of the only set in a folder.
func readManifest(t *testing.T, dir string) (m manifest) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "sets", "*", "manifest.json"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v %v", all, err)
	}
	text, err := os.ReadFile(all[0])
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What is restored into the other kind of database, and back, has the same rows and next IDs.
func TestBackupCrossesDatabases(t *testing.T) {
	t.Parallel()
	urls := []string{""}
	if os.Getenv("STOA_TEST_POSTGRES_URL") != "" {
		urls = []string{kittest.Postgres(t), ""}
	}
	dir := t.TempDir()
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	at := attach(t, s.url, made.Email, made.Key, "content")
	for i := range 20 {
		ask(t, http.MethodPost, s.url+"/api/v1/messages", made.Email, made.Key, url.Values{"type": {"stream"},
			"to": {"general"}, "topic": {"tab\t\\ äöü"}, "content": {fmt.Sprintf("line %d\n[line](%s)", i, at)}})
	}
	s.stop(0)
	back := func(args ...string) manifest {
		to := filepath.Join(t.TempDir(), "to")
		stoa(t, "", append([]string{"backup", to}, args...)...).ok(t)
		stoa(t, "", "backup", "verify", "--deep", to).ok(t)
		dir = to
		return readManifest(t, to)
	}
	want := back("--data-dir", dir)
	if len(want.Tables) < 50 || want.Files.Count == 0 {
		t.Fatalf("%d tables, %d files", len(want.Tables), want.Files.Count)
	}
	for i, url := range urls {
		args := []string{"--data-dir", filepath.Join(t.TempDir(), fmt.Sprint(i))}
		if url != "" {
			args = append(args, "--database-url", url)
		}
		stoa(t, "", append([]string{"restore", dir, "--keep-outgoing"}, args...)...).ok(t)
		got := back(args...)
		sameRows(t, got, want)
		want = got
	}
}

// A restored server answers BAD_EVENT_QUEUE_ID to queues of its past, and starts no log again at numbers that clients
// have seen.
func TestRestoreMakesThePastReappear(t *testing.T) {
	t.Parallel()
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "b.tar")
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	_, queue := ask(t, http.MethodPost, s.url+"/api/v1/register", made.Email, made.Key,
		url.Values{"event_types": {`["message"]`}})
	stoa(t, "", "backup", to, "--data-dir", dir).ok(t)
	s.stop(0)

	restored := filepath.Join(t.TempDir(), "restored")
	done := stoa(t, "", "restore", to, "--data-dir", restored).ok(t)
	if !strings.Contains(done.out, "--revoke-all") {
		t.Errorf("no warning about revoked keys:\n%s", done.out)
	}
	s = serve(t, standard.Modules(), "--data-dir", restored)
	status, answer := ask(t, http.MethodGet, s.url+"/api/v1/events?last_event_id=-1&queue_id="+
		url.QueryEscape(queue["queue_id"].(string)), made.Email, made.Key, nil)
	if status != http.StatusBadRequest || answer["code"] != "BAD_EVENT_QUEUE_ID" {
		t.Errorf("%d %v", status, answer)
	}
	s.stop(0)

	revoked := filepath.Join(t.TempDir(), "revoked")
	stoa(t, "", "restore", to, "--data-dir", revoked, "--revoke-all").ok(t)
	s = serve(t, standard.Modules(), "--data-dir", revoked)
	if status, answer := ask(t, http.MethodGet, s.url+"/api/v1/users/me", made.Email, made.Key, nil); status != 401 {
		t.Errorf("%d %v", status, answer)
	}
	s.stop(0)
}
