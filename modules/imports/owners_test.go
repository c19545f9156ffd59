package imports_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// upload uploads an archive in parts, and returns the import.
func (s *server) upload(by *kittest.Client, archive []byte) string {
	s.t.Helper()
	id := fmt.Sprint(by.Do("POST /imports", "program", "stoa", "file_name", "old.tar.gz", "size",
		fmt.Sprint(len(archive))).OK().Int("id"))
	by.Do("POST /imports", "program", "stoa", "file_name", "x", "size", "1").Error(400, "BAD_REQUEST",
		"Another import is not complete; continue or delete it first")
	half := len(archive) / 2
	s.part(by, id, 0, archive[:half]).OK()
	s.part(by, id, 0, archive[:half]).Error(400, "BAD_REQUEST", fmt.Sprintf("Invalid offset: %d bytes have been received",
		half))
	s.part(by, id, half, append(bytes.Clone(archive[half:]), 0)).Error(400, "BAD_REQUEST", "Invalid part")
	check := []string{"subdomain", "moved"}
	by.Do("POST /imports/"+id+"/check", check...).Error(400, "BAD_REQUEST", `in the state "uploading"`)
	s.part(by, id, half, archive[half:]).OK()
	return id
}

func (s *server) part(by *kittest.Client, id string, offset int, body []byte) *kittest.Response {
	s.t.Helper()
	return by.Send(fmt.Sprintf("POST /imports/%s/archive?offset=%d", id, offset), "application/octet-stream",
		bytes.NewReader(body))
}

// state returns the only import in the list.
func (s *server) state(by *kittest.Client) *kittest.Response { return by.Do("GET /imports").OK() }

// An owner uploads an archive in parts, reads the report, imports it, and lets people in. Nobody else can. An import
// that fails continues, or is deleted with what it has created; nobody enters it meanwhile.
func TestOwners(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		s.fill()
		olga := s.As("olga")
		archive := s.export(olga)
		for _, who := range []string{"adam", "alice", "guest"} {
			s.As(who).Do("GET /imports").Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
		}
		olga.Do("POST /imports", "program", "stoa", "file_name", "x", "size", fmt.Sprint(51<<30)).Error(400, "BAD_REQUEST",
			"An archive can have at most 50 GiB")
		id := s.upload(olga, archive)
		olga.Do("POST /imports/"+id+"/start").Error(400, "BAD_REQUEST", `in the state "uploaded"`)
		olga.Do("POST /imports/"+id+"/check", "subdomain", "moved").OK()
		s.RunJob("imports.run")
		if a := s.state(olga); a.String("imports.0.state") != "checked" || !strings.Contains(a.Body, `"kind":"messages"`) {
			t.Fatal(a.Body)
		}
		olga.Do("POST /imports/" + id + "/start").OK()
		s.RunJob("imports.run")
		if a := s.state(olga); a.String("imports.0.state") != "complete" ||
			!strings.HasPrefix(a.String("imports.0.imported_realm_url"), "http://moved.") {
			t.Fatal(a.Body)
		}
		olga.Do("POST /imports/"+id+"/links", "send", "true").Error(400, "BAD_REQUEST", "This server does not send email")
		links := olga.Do("POST /imports/" + id + "/links").OK()
		if !strings.Contains(links.String("links.0.reset_link"), "moved.") || !strings.Contains(links.Body, "alice@") {
			t.Error(links.Body)
		}
		first, err := neturl.Parse(links.String("links.0.reset_link"))
		if err != nil {
			t.Fatal(err)
		}
		status, _, page := s.Page("POST", first.Path, neturl.Values{"password": {"battery horse staple"}}, "Host", first.Host)
		if status != 200 {
			t.Fatal(status, page)
		}
		again := olga.Do("POST /imports/" + id + "/links").OK()
		if who := links.String("links.0.email"); strings.Contains(again.Body, who) || !again.Has("links.0") {
			t.Errorf("a link for %s, who has a password: %s", who, again.Body)
		}
		olga.Do("DELETE /imports/" + id).OK()
		if a := s.state(olga); a.Has("imports.0") {
			t.Error(a.Body)
		}
	})
}

// An import that is interrupted continues, also after a restart. One that has failed is deleted with the organization
// that it has created, which nobody can enter.
func TestOwnersInterrupted(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startLogging(t, url, slog.New(slog.DiscardHandler))
		s.fill()
		olga := s.As("olga")
		archive := s.export(olga)
		id := s.upload(olga, archive)
		olga.Do("POST /imports/"+id+"/check", "subdomain", "moved").OK()
		s.RunJob("imports.run")
		olga.Do("POST /imports/" + id + "/start").OK()
		for after := int64(20); after <= 100; after += 40 {
			s.interruptJob(after)
			s.closed()
		}
		if a := s.state(olga); a.String("imports.0.state") != "running" || a.String("imports.0.step") == "" {
			t.Fatal(a.Body)
		}
		olga.Do("DELETE /imports/"+id).Error(400, "BAD_REQUEST", `in the state "running"`)
		s.Restart()
		s.RunJob("imports.run")
		if a := s.state(olga); a.String("imports.0.state") != "complete" {
			t.Fatal(a.Body)
		}

		id = s.upload(olga, archive)
		olga.Do("POST /imports/"+id+"/check", "subdomain", "moved").Error(400, "BAD_REQUEST", "Subdomain already in use.")
		olga.Do("POST /imports/"+id+"/check", "subdomain", "other").OK()
		s.RunJob("imports.run")
		olga.Do("POST /imports/" + id + "/start").OK()
		s.interruptJob(100)
		for e, err := range s.Ports.Blobs.Keys(t.Context(), "imports/", "") {
			if err == nil {
				err = s.Ports.Blobs.Delete(t.Context(), e.Key)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(filepath.Join(s.data, "imports")); err != nil {
			t.Fatal(err)
		}
		s.RunJob("imports.run")
		if a := s.state(olga); a.String("imports.0.state") != "failed" || a.String("imports.0.error") == "" {
			t.Fatal(a.Body)
		}
		olga.Do("DELETE /imports/" + id).OK()
		if due, err := s.Ports.States.Due(t.Context()); err != nil || len(due) != 1 {
			t.Errorf("%v are deleted, %v", due, err)
		}
	})
}

// interruptJob runs the job until that many statements have begun.
func (s *server) interruptJob(after int64) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	var n atomic.Int64
	count := func() {
		if n.Add(1) == after {
			cancel()
		}
	}
	s.statement.Store(&count)
	defer s.statement.Store(nil)
	_ = s.App.RunJob(ctx, "imports.run") // interrupted
	if ctx.Err() == nil {
		s.t.Fatalf("the job ended before %d statements", after)
	}
}
