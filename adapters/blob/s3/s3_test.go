package s3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/adapters/blob/s3"
	"github.com/stoachat/stoa/domain/errs"
)

// fake is an in-memory object store that can be made to fail.
type fake struct {
	store    http.Handler
	override atomic.Pointer[http.HandlerFunc] // responds instead of the store, if set
	asked    atomic.Int64
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked.Add(1)
	if h := f.override.Load(); h != nil {
		(*h)(w, r)
		return
	}
	f.store.ServeHTTP(w, r)
}

func (f *fake) overrideWith(h http.HandlerFunc) { f.override.Store(&h) }

func start(t *testing.T, change ...func(*s3.Config)) (*s3.Store, *fake) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("stoa"); err != nil {
		t.Fatal(err)
	}
	f := &fake{store: gofakes3.New(backend, gofakes3.WithIntegrityCheck(true)).Server()}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	c := s3.Defaults()
	c.Endpoint, c.AccessKey, c.SecretKey, c.Tries = server.URL, "access", "secret", 1
	for _, ch := range change {
		ch(&c)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	s, err := s3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s, f
}

func TestContract(t *testing.T) {
	s, _ := start(t)
	blobtest.Run(t, s)
}

func TestPrefix(t *testing.T) {
	var endpoint string
	s, _ := start(t, func(c *s3.Config) { c.Prefix, endpoint = "chat/", c.Endpoint })
	blobtest.Put(t, s, "a", "x")
	c := s3.Defaults()
	c.Endpoint, c.AccessKey, c.SecretKey = endpoint, "access", "secret"
	whole, err := s3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	blobtest.Is(t, whole, "a", "-")
	blobtest.Is(t, whole, "chat/a", "x")
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	blobtest.Is(t, whole, "chat/a", "-")
}

// A failure of the store is reported neither as the client's error nor as a missing blob.
func TestFailures(t *testing.T) {
	s, f := start(t)
	blobtest.Put(t, s, "a", "0123456789")
	all := func(t *testing.T) {
		t.Helper()
		if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), 9); !errs.Is(err, errs.Unavailable) {
			t.Error("put:", err)
		}
		for _, n := range []int64{-1, 3} {
			if _, _, err := s.Open(t.Context(), "a", 0, n); !errs.Is(err, errs.Unavailable) {
				t.Error("open:", err)
			}
		}
		if err := s.Delete(t.Context(), "a"); !errs.Is(err, errs.Unavailable) {
			t.Error("delete:", err)
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"500":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"no login": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) { f.overrideWith(h); all(t) })
	}
	f.override.Store(nil)
	blobtest.Is(t, s, "a", "0123456789")
}

func TestNoBucket(t *testing.T) {
	s, _ := start(t, func(c *s3.Config) { c.Bucket = "other" })
	if _, _, err := s.Open(t.Context(), "a", 0, -1); !errs.Is(err, errs.Unavailable) {
		t.Error("a missing bucket was reported as a missing blob:", err)
	}
	if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), 9); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
}

// The store may be unreachable when the server starts.
func TestUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c := s3.Defaults()
	c.Endpoint, c.AccessKey, c.SecretKey, c.Tries = server.URL, "access", "secret", 1
	s, err := s3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Open(t.Context(), "a", 0, -1); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Open(ended, "a", 0, -1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A blob that arrives corrupted is rejected.
func TestCorruptedUpload(t *testing.T) {
	s, f := start(t)
	f.overrideWith(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		for i := range b {
			b[i] ^= 1
		}
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		f.store.ServeHTTP(w, r)
	})
	if _, err := s.Put(t.Context(), "a", strings.NewReader("0123456789"), 99); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
	f.override.Store(nil)
	blobtest.Is(t, s, "a", "-")
}

// A truncated response is detected.
func TestTruncatedResponse(t *testing.T) {
	s, f := start(t)
	blobtest.Put(t, s, "a", strings.Repeat("x", 1000))
	f.overrideWith(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			f.store.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT")
		_, _ = io.WriteString(w, strings.Repeat("x", 400))
	})
	for _, n := range []int64{-1, 900} {
		r, _, err := s.Open(t.Context(), "a", 0, n)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		_ = r.Close()
	}
}

func TestConfig(t *testing.T) {
	good := s3.Defaults()
	good.Endpoint = "https://s3.example.com"
	for want, change := range map[string]func(*s3.Config){
		"": func(*s3.Config) {},
		"endpoint: want https://host or http://host:port": func(c *s3.Config) { c.Endpoint = "s3.example.com" },
		"bucket: is empty": func(c *s3.Config) { c.Bucket = "" },
		"access_key: want it and secret_key, or neither": func(c *s3.Config) { c.AccessKey = "x" },
		"tries: want 1 to 10":                            func(c *s3.Config) { c.Tries = 0 },
		"sse: want s3 or kms, or nothing":                func(c *s3.Config) { c.SSE = "aes" },
		"sse_kms_id: want it only with sse: kms":         func(c *s3.Config) { c.SSE, c.SSEKMSID = "s3", "x" },
		"storage_class: want a name such as STANDARD_IA": func(c *s3.Config) { c.StorageClass = "cold storage" },
		"storage_class: files in GLACIER can't be read at once; GLACIER_IR can": func(c *s3.Config) {
			c.StorageClass = "GLACIER"
		},
	} {
		c := good
		change(&c)
		if err := c.Validate(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Everything is stored with the configured encryption and storage class, in one piece or in parts.
func TestStoredOptions(t *testing.T) {
	for _, c := range []struct {
		config          s3.Config
		sse, key, class string
	}{
		{s3.Config{}, "", "", ""},
		{s3.Config{SSE: "s3", StorageClass: "STANDARD_IA"}, "AES256", "", "STANDARD_IA"},
		{s3.Config{SSE: "kms"}, "aws:kms", "", ""},
		{s3.Config{SSE: "kms", SSEKMSID: "alias/stoa"}, "aws:kms", "alias/stoa", ""},
	} {
		s, f := start(t, func(to *s3.Config) {
			to.SSE, to.SSEKMSID, to.StorageClass = c.config.SSE, c.config.SSEKMSID, c.config.StorageClass
		})
		begun := 0 // requests that create an object
		f.overrideWith(func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			if r.Method == http.MethodPut && !q.Has("partNumber") || r.Method == http.MethodPost && q.Has("uploads") {
				begun++
				for name, want := range map[string]string{
					"X-Amz-Server-Side-Encryption": c.sse, "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": c.key,
					"X-Amz-Storage-Class": c.class,
				} {
					if got := r.Header.Get(name); got != want {
						t.Errorf("%+v: %s %s: %s is %q, want %q", c.config, r.Method, r.URL, name, got, want)
					}
				}
			}
			f.store.ServeHTTP(w, r)
		})
		blobtest.Put(t, s, "small", "x")
		blobtest.Put(t, s, "large", strings.Repeat("x", 6<<20))
		if begun != 2 {
			t.Errorf("%d requests create objects", begun)
		}
	}
}
