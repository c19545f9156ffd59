package crash_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestRestoreSurvivesKills kills a restore again and again at random moments. No server may start with what is left,
// unless the restore was complete, and the next restore must be complete.
func TestRestoreSurvivesKills(t *testing.T) {
	kills := 4
	if testrun.Long() {
		kills = 50
	}
	s := harness.NewServer(t)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	for i := range 50 {
		s.Send(fmt.Sprint("message ", i))
	}
	s.Kill()
	source := filepath.Join(t.TempDir(), "backups")
	s.Run("backup", source)
	want := contents(t, source)

	whole := harness.NewEmptyServer(t)
	begun := time.Now()
	whole.Run("restore", source)
	took := time.Since(begun)

	to, refused := harness.NewEmptyServer(t), 0
	for range kills {
		if run(to, rand.N(took), "restore", source) == nil {
			to = harness.NewEmptyServer(t) // it was faster this time
			continue
		}
		// serve would create an organization in a database that the restore has not touched yet.
		switch text := failure(run(to, 0, "user", "list")); {
		case text == "": // the restore was complete when it was killed
			to = harness.NewEmptyServer(t)
		case strings.Contains(text, "is incomplete"):
			refused++
			if text := failure(run(to, 0, "serve")); !strings.Contains(text, "run stoa restore again") {
				t.Errorf("serve after a kill: %s", text)
			}
		case !strings.Contains(text, "there is no organization yet"):
			t.Errorf("after a kill: %s", text)
		}
	}
	to.Run("restore", source)
	again := filepath.Join(t.TempDir(), "again")
	to.Run("backup", again)
	got := contents(t, again)
	for _, changed := range []string{
		"realm_logs", "nodes", "job_leases", "event_queues", "audit", "audit_heads", "audit_personal",
	} {
		delete(got, changed)
		delete(want, changed)
	}
	if !maps.Equal(got, want) {
		t.Errorf("restored %v, want %v", got, want)
	}
	to.Start()
	to.Mail, to.Key = s.Mail, s.Key
	to.Send("after the restore")
	t.Logf("%d of %d kills left an incomplete database", refused, kills)
}

// run runs a command, which it kills after the given time unless that is 0.
func run(s *harness.Server, kill time.Duration, args ...string) error {
	cmd := exec.Command(harness.Binary(s.T), args...)
	cmd.Env = s.Env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		s.T.Fatal(err)
	}
	if kill > 0 {
		time.Sleep(kill)
		_ = cmd.Process.Kill()
	}
	if err := cmd.Wait(); err != nil {
		return errors.New(err.Error() + ": " + stderr.String())
	}
	return nil
}

func failure(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// contents returns the hashes of all tables in the only backup in a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "sets", "*", "manifest.json"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	text, err := os.ReadFile(all[0])
	var m struct {
		Tables []struct{ Name, Content string }
	}
	if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, table := range m.Tables {
		out[table.Name] = table.Content
	}
	return out
}

// TestBackupSurvivesKills kills backups at random moments while messages are sent. What they leave behind is no backup,
// and disturbs none: the next one is complete.
func TestBackupSurvivesKills(t *testing.T) {
	kills := 4
	if testrun.Long() {
		kills = 50
	}
	s := harness.NewServer(t)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	begun := time.Now()
	s.Run("backup", filepath.Join(t.TempDir(), "whole"))
	took := time.Since(begun)

	place, interrupted := filepath.Join(t.TempDir(), "backups"), 0
	for i := range kills {
		s.Send(fmt.Sprint("message ", i))
		_ = run(s, rand.N(took), "backup", place) // ends or is killed
		if _, err := os.Stat(place); err != nil {
			continue
		}
		// A kill may come after the backup was complete.
		if text := failure(run(s, 0, "backup", "verify", place)); strings.Contains(text, "there is no complete backup") {
			interrupted++
		} else if text != "" {
			t.Errorf("verify after a kill: %s", text)
		}
	}
	s.Run("backup", place)
	s.Run("backup", "verify", place)
	t.Logf("after %d of %d kills there was no complete backup", interrupted, kills)
	s.Kill()
	to := harness.NewEmptyServer(t)
	to.Run("restore", place)
	to.Start()
	to.Mail, to.Key = s.Mail, s.Key
	newest := url.Values{"anchor": {"newest"}, "num_before": {"1"}, "num_after": {"0"}}
	got := fmt.Sprint(to.Must("GET", "/messages", newest))
	if !strings.Contains(got, fmt.Sprint("message ", kills-1)) {
		t.Errorf("the newest message: %v", got)
	}
}
