package imports_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// checkedImport uploads an archive of the organization, and checks it.
func (s *server) checkedImport(by *kittest.Client) string {
	s.t.Helper()
	id := s.upload(by, s.export(by))
	by.Do("POST /imports/"+id+"/check", "subdomain", "moved").OK()
	s.RunJob("imports.run")
	return id
}

// parts counts the blobs of archives.
func (s *server) parts() (n int) {
	s.t.Helper()
	for _, err := range s.Ports.Blobs.Keys(s.t.Context(), "imports/", "") {
		if err != nil {
			s.t.Fatal(err)
		}
		n++
	}
	return n
}

// deletions returns the number of organizations that are to be deleted.
func (s *server) deletions() int {
	s.t.Helper()
	due, err := s.Ports.States.Due(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return len(due)
}

// An owner cancels a dry run, and then an import that has begun to write: nobody can enter its organization, and the
// import continues when the owner wants it to.
func TestOwnersCancel(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startLogging(t, url, slog.New(slog.DiscardHandler))
		s.fill()
		olga := s.As("olga")
		id := s.upload(olga, s.export(olga))
		cancel := func() { olga.Do("DELETE /imports/"+id, "cancel", "true").OK() }
		state := func(want string) {
			t.Helper()
			if a := s.state(olga); a.String("imports.0.state") != want {
				t.Fatalf("want %s: %s", want, a.Body)
			}
		}
		olga.Do("DELETE /imports/"+id, "cancel", "true").Error(400, "BAD_REQUEST", `in the state "uploaded"`)
		olga.Do("POST /imports/"+id+"/check", "subdomain", "moved").OK()
		cancel()
		s.RunJob("imports.run")
		state("uploaded")
		olga.Do("POST /imports/"+id+"/check", "subdomain", "moved", "since", "May").Error(400, "BAD_REQUEST", "since: want")
		olga.Do("POST /imports/"+id+"/check", "subdomain", "moved").OK()
		s.RunJob("imports.run")
		olga.Do("POST /imports/" + id + "/start").OK()
		s.interruptJob(60)
		s.closed()
		cancel()
		olga.Do("DELETE /imports/"+id).Error(400, "BAD_REQUEST", `in the state "canceling"`)
		s.RunJob("imports.run")
		state("canceled")
		s.closed()
		olga.Do("POST /imports/" + id + "/start").OK()
		s.RunJob("imports.run")
		state("complete")
	})
}

// A job that works on an import ends when it is canceled.
func TestOwnersCancelRunning(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startLogging(t, url, slog.New(slog.DiscardHandler))
		s.fill()
		olga := s.As("olga")
		id := s.checkedImport(olga)
		olga.Do("POST /imports/" + id + "/start").OK()
		watch := func(statement string) {
			if strings.HasPrefix(statement, "SELECT") && strings.Contains(statement, "import_keys") &&
				strings.Contains(statement, "'messages'") { // which of the first messages are known
				s.text.Store(nil)
				olga.Do("DELETE /imports/"+id, "cancel", "true").OK()
			}
		}
		s.text.Store(&watch)
		s.RunJob("imports.run")
		if a := s.state(olga); a.String("imports.0.state") != "canceled" {
			t.Fatal(a.Body)
		}
		s.closed()
	})
}

// An import that nobody continues is deleted after a while, with its archive and what it has created.
func TestOwnersAbandon(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startLogging(t, url, slog.New(slog.DiscardHandler))
		s.fill()
		olga := s.As("olga")
		id := s.checkedImport(olga)
		s.Clock.Advance(13 * 24 * time.Hour)
		s.RunJob("imports.expire")
		olga.Do("POST /imports/" + id + "/start").OK() // which begins the period again
		s.interruptJob(100)
		olga.Do("DELETE /imports/"+id, "cancel", "true").OK()
		s.RunJob("imports.run")
		s.Clock.Advance(13 * 24 * time.Hour)
		s.RunJob("imports.expire")
		if a := s.state(olga); a.String("imports.0.state") != "canceled" || s.parts() == 0 || s.deletions() != 0 {
			t.Fatalf("deleted too early: %s", a.Body)
		}
		s.Clock.Advance(2 * 24 * time.Hour)
		s.RunJob("imports.expire")
		if a := s.state(olga); a.Has("imports.0") || s.parts() != 0 || s.deletions() != 1 {
			t.Errorf("%d parts, %d organizations to delete: %s", s.parts(), s.deletions(), a.Body)
		}
	})
}

// Clients that ask for it learn who may import, and people where their organization has come from.
func TestSection(t *testing.T) {
	s := start(t, "")
	s.fill()
	section := func(by *kittest.Client, fetch string) *kittest.Response {
		return by.Do("POST /register", "fetch_event_types", fetch).OK()
	}
	a := section(s.As("olga"), `["stoa_imports"]`)
	if a.Get("stoa_imports.offered") != true || a.String("stoa_imports.imported_from") != "" {
		t.Error(a.Body)
	}
	if a := section(s.As("adam"), `["stoa_imports"]`); a.Get("stoa_imports.offered") != false {
		t.Error(a.Body)
	}
	if a := s.As("olga").Do("POST /register").OK(); a.Has("stoa_imports") {
		t.Error("clients that ask for everything receive it")
	}
}
