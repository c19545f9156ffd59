package imports_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// What was imported can be forgotten after 90 days, or before if the operator insists: afterwards nothing can be added
// to it, and an archive is imported anew. What people have written stays.
func TestForget(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		archive := write(t, exported["slack"])
		r, err := s.command(t.Context(), "import slack", map[string]any{"Archive": archive, "Realm": "my-slack"})
		if err != nil {
			t.Fatal(err)
		}
		before := s.conversations(r, "slack")
		forget := func(want string, in map[string]any) {
			t.Helper()
			if _, err := s.command(t.Context(), "import forget", in); want == "" && err != nil ||
				want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Fatalf("want %q, got %v", want, err)
			}
		}
		forget("no organization", map[string]any{"Organization": "other"})
		forget("Nothing was imported", map[string]any{"Organization": "@root"})
		forget("The last import ended on", map[string]any{"Organization": "my-slack"})
		s.Clock.Advance(91 * 24 * time.Hour)
		forget("", map[string]any{"Organization": "my-slack"})
		if after := s.conversations(r, "slack"); after != before || before == "" {
			t.Errorf("afterwards %s, want %s", after, before)
		}
		forget("Nothing was imported", map[string]any{"Organization": "my-slack", "Early": true})
		_, err = s.command(t.Context(), "import slack", map[string]any{"Archive": archive, "Realm": "my-slack"})
		if err == nil || !strings.Contains(err.Error(), "in use by another organization") {
			t.Errorf("a forgotten import is repeated: %v", err)
		}
		again, err := s.command(t.Context(), "import slack", map[string]any{"Archive": archive, "Into": "my-slack"})
		if err != nil || !strings.Contains(strings.Join(again.Notes, " "), `called "garden (2)" here`) {
			t.Errorf("into the organization: %v, %v", again, err)
		}
		forget("", map[string]any{"Organization": "my-slack", "Early": true})
		if left, err := os.ReadDir(s.data + "/imports"); err != nil || len(left) > 0 {
			t.Errorf("left are %v (%v)", left, err)
		}
	})
}

// Imports of owners are forgotten with their reports. One that is not complete is not.
func TestForgetOwners(t *testing.T) {
	s := startLogging(t, "", slog.New(slog.DiscardHandler)) // the interruption is logged
	s.fill()
	olga := s.As("olga")
	id := s.checkedImport(olga)
	olga.Do("POST /imports/" + id + "/start").OK()
	s.interruptJob(100)
	flags := map[string]any{"Organization": "moved", "Early": true}
	_, err := s.command(t.Context(), "import forget", flags)
	if err == nil || !strings.Contains(err.Error(), "not complete") {
		t.Errorf("an import that is not complete: %v", err)
	}
	s.RunJob("imports.run")
	if _, err := s.command(t.Context(), "import forget", flags); err != nil {
		t.Fatal(err)
	}
	if a := s.state(olga); a.Has("imports.0") {
		t.Error(a.Body)
	}
}
