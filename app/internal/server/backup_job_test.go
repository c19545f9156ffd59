package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
)

// A server backs itself up once a day, deletes old backups, and tells its owners by email about failures.
func TestScheduledBackup(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "backups")
	sent := &mailtest.Fake{}
	s := kittest.StartWith(t, kittest.Options{Config: fmt.Sprintf(
		"backup: {target: %q, schedule: \"03:30\", keep: 2d}\nadapters: {blob: {use: disk}}\n", dir)},
		sent.Module(), disk.Module)
	sets := func() int {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(dir, "sets", "*", "complete"))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	for i, want := range []int{1, 1, 2, 2} { // twice a day, then on the next day, and the one after that
		s.RunJob("server.backup")
		if got := sets(); got != want {
			t.Errorf("%d backups after run %d, want %d", got, i, want)
		}
		if i > 0 {
			s.Clock.Advance(24 * time.Hour)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(24 * time.Hour)
	if err := s.App.RunJob(t.Context(), "server.backup"); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
	all := sent.Received()
	if len(all) != 1 || !strings.Contains(all[0].Text, "backup") || !strings.Contains(all[0].Subject, "failed") {
		t.Errorf("emails: %v", all)
	}
}
