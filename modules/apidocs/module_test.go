package apidocs_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/apidocs"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
)

func TestModule(t *testing.T) { kittest.Check(t, apidocs.Module) }

func TestDocument(t *testing.T) {
	s := kittest.Start(t, apidocs.Module)
	a := s.Anonymous().Do("GET /openapi.json")
	var doc struct {
		OpenAPI string         `json:"openapi"`
		Paths   map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(a.Body), &doc); err != nil || doc.OpenAPI != "3.1.1" {
		t.Fatalf("%v: %.200s", err, a.Body)
	}
	if doc.Paths["/openapi.json"] == nil || doc.Paths["/drafts"] != nil {
		t.Errorf("the document does not describe exactly the modules of the server: %v", doc.Paths)
	}
	for header, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "public, max-age=60", "Access-Control-Allow-Origin": "*",
	} {
		if got := a.Header.Get(header); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	again := s.Anonymous().Request("GET /openapi.json", nil)
	again.Header.Set("If-None-Match", a.Header.Get("ETag"))
	if b := s.Anonymous().RoundTrip(again); a.Header.Get("ETag") == "" || b.Status != 304 {
		t.Errorf("ETag %q: status %d", a.Header.Get("ETag"), b.Status)
	}
}

func TestForms(t *testing.T) {
	s := kittest.Start(t, apidocs.Module)
	if a := s.Anonymous().Do("GET /openapi.yaml"); !strings.HasPrefix(a.Body, "openapi: \"3.1.1\"\n") {
		t.Errorf("YAML: %.100s", a.Body)
	}
	plain := s.Anonymous().Do("GET /openapi.json").Body
	if a := s.Anonymous().Do("GET /openapi.json", "profile", "strings"); a.Status != 200 || a.Body == plain {
		t.Errorf("profile strings: %d", a.Status)
	}
	s.Anonymous().Do("GET /openapi.json", "profile", "x").Error(404, "BAD_REQUEST", `There is no profile "x"`)

	req := s.Anonymous().Request("GET /openapi.json", nil)
	req.Header.Set("Accept-Encoding", "gzip")
	a := s.Anonymous().RoundTrip(req)
	r, err := gzip.NewReader(strings.NewReader(a.Body))
	if err != nil || a.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("gzip: %v, %v", err, a.Header)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != plain {
		t.Errorf("the compressed document differs: %v", err)
	}
}

// TestReaders checks that api_docs admits members alone, or nobody.
func TestReaders(t *testing.T) {
	start := func(readers string) *kittest.Server {
		return kittest.StartWith(t, kittest.Options{Config: "modules: {apidocs: {api_docs: " + readers + "}}"},
			realm.Module, accounts.Module, channels.Module, events.Module, sessions.Module, apidocs.Module)
	}
	s := start("members")
	s.Anonymous().Do("GET /openapi.json").Error(401, "UNAUTHORIZED", "")
	s.As("guest").Do("GET /openapi.json").Error(400, "BAD_REQUEST", "guest")
	a := s.As("alice").Do("GET /openapi.json")
	if cached := a.Header.Get("Cache-Control"); a.Status != 200 || cached != "private, max-age=60" {
		t.Errorf("a member: %d, %q", a.Status, cached)
	}
	for name, want := range map[string]int{"": 302, "guest": 404, "alice": 200} {
		req := s.Anonymous().Under("/api/docs").Request("GET /getUsers?lang=de", nil)
		if name != "" {
			login, err := s.Client.PostForm(s.URL+"/login/", url.Values{
				"username": {s.As(name).Email()}, "password": {kittest.Password},
			})
			if err != nil {
				t.Fatal(err)
			}
			_ = login.Body.Close()
			for _, c := range login.Cookies() {
				req.AddCookie(c)
			}
		}
		got := s.Anonymous().RoundTrip(req)
		to := got.Header.Get("Location")
		if got.Status != want || want == 302 && to != "/login/?next=%2Fapi%2Fdocs%2FgetUsers%3Flang%3Dde" {
			t.Errorf("a page for %q: %d %q, want %d", name, got.Status, to, want)
		}
	}
	s = start("off")
	s.As("olga").Do("GET /openapi.json").Error(404, "BAD_REQUEST", "")
	if a := s.Anonymous().Under("/api/docs").Do("GET /"); a.Status != 404 {
		t.Errorf("a page for nobody: %d", a.Status)
	}
	if err := (apidocs.Config{Readers: "some"}).Validate(); err == nil {
		t.Error("an unknown value is accepted")
	}
}
