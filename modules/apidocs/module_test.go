package apidocs_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/apidocs"
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
