package s3_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/blob"
)

// A probe leaves nothing behind, and names what the operator does about a refusal.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		name, method string // of the requests that are refused
		status       int
		code         string
		text, remedy string
	}{
		{"works", "-", 0, "", "", ""},
		{"read-only", http.MethodPut, 403, "AccessDenied", "can't be stored: AccessDenied", "allow s3:PutObject"},
		{"write-only", http.MethodGet, 403, "AccessDenied", "can't be read: AccessDenied", "allow s3:GetObject"},
		{"no deletion", http.MethodPost, 403, "AccessDenied", "can't be deleted: AccessDenied", "allow s3:DeleteObject"},
		{"unknown key", "", 403, "InvalidAccessKeyId", "InvalidAccessKeyId", "correct adapters.blob.access_key"},
		{"wrong key", "", 403, "SignatureDoesNotMatch", "SignatureDoesNotMatch", "STOA_ADAPTERS_BLOB_SECRET_KEY"},
		{"no bucket", "", 404, "NoSuchBucket", "NoSuchBucket", "create the bucket"},
		{"region", "", 400, "AuthorizationHeaderMalformed", "stored", "adapters.blob.region"},
		{"clock", "", 403, "RequestTimeTooSkewed", "stored", "synchronize the clocks"},
		{"down", "", 503, "", "stored", "start the store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, f := start(t)
			f.overrideWith(func(w http.ResponseWriter, r *http.Request) {
				if c.method != "" && r.Method != c.method || r.Method == http.MethodGet && r.URL.Query().Has("location") {
					f.store.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(c.status)
				if c.code != "" {
					_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>No.</Message></Error>", c.code)
				}
			})
			err := s.Probe(t.Context())
			var refused *blob.RefusedError
			switch {
			case c.code == "" && c.status == 0 && err == nil:
			case !errors.As(err, &refused) || !strings.Contains(refused.Text, c.text) ||
				!strings.Contains(refused.Remedy, c.remedy):
				t.Errorf("got %v, want %q and %q", err, c.text, c.remedy)
			}
			if c.method != "-" {
				return
			}
			for e, err := range s.Keys(t.Context(), "", "") {
				t.Errorf("%v is left, %v", e, err)
			}
		})
	}
}

// The health check probes the first time and after an operation has failed, so that nothing is written at rest.
func TestHealth(t *testing.T) {
	s, f := start(t)
	writes := 0
	count := func(status int) {
		f.overrideWith(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPut {
				f.store.ServeHTTP(w, r)
				return
			}
			if writes++; status != 0 {
				w.WriteHeader(status)
				return
			}
			f.store.ServeHTTP(w, r)
		})
	}
	healthy := func(want bool, wantWrites int) {
		t.Helper()
		writes = 0
		err := s.Health(t.Context())
		if (err == nil) != want || writes != wantWrites {
			t.Errorf("%v after %d writes, want %v after %d", err, writes, want, wantWrites)
		}
	}
	count(0)
	healthy(true, 1)
	healthy(true, 0)
	count(http.StatusForbidden)
	healthy(true, 0)
	if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), 1); err == nil {
		t.Error("stored")
	}
	healthy(false, 1)
	healthy(false, 1)
	count(0)
	healthy(true, 1)
	healthy(true, 0)
}
