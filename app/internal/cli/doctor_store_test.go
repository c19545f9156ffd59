package cli_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
)

// The doctor tells a bucket that works from one that is read-only, and from one whose key is wrong, with metrics or
// without.
func TestDoctorOfBuckets(t *testing.T) {
	dir, b := filepath.Join(t.TempDir(), "data"), blobtest.S3(t)
	founded(t, "--data-dir", dir)
	readOnly := denying(t, b, func(r *http.Request) bool { return r.Method == http.MethodPut })
	config := withBucket(t)
	for _, c := range []struct{ name, endpoint, secret, want string }{
		{"works", b.Endpoint, b.SecretKey, "ok      server.store"},
		{"read-only", readOnly, b.SecretKey, "allow s3:PutObject"},
		{"wrong key", b.Endpoint, "wrong" + b.SecretKey, "correct adapters.blob.access_key"},
	} {
		for _, metrics := range []string{"", "127.0.0.1:0"} {
			r := stoaIn(t, []string{
				"STOA_ADAPTERS_BLOB_ENDPOINT=" + c.endpoint, "STOA_ADAPTERS_BLOB_REGION=" + b.Region,
				"STOA_ADAPTERS_BLOB_BUCKET=" + b.Name, "STOA_ADAPTERS_BLOB_ACCESS_KEY=" + b.AccessKey,
				"STOA_ADAPTERS_BLOB_SECRET_KEY=" + c.secret, "STOA_METRICS_ADDR=" + metrics,
			}, "doctor", "--only", "server.store", "--config", config, "--data-dir", dir)
			if !strings.Contains(r.out, c.want) || (r.code == 0) != (c.name == "works") {
				t.Errorf("%s, metrics %q: exit code %d\n%s%s", c.name, metrics, r.code, r.out, r.err)
			}
			if strings.Contains(r.out+r.err, c.secret) {
				t.Errorf("%s: the secret is in\n%s%s", c.name, r.out, r.err)
			}
		}
	}
}

// The doctor reports a bucket that fails once, although its health check fails as well.
func TestDoctorReportsBucketOnce(t *testing.T) {
	t.Parallel()
	dir, b := filepath.Join(t.TempDir(), "data"), blobtest.S3(t)
	founded(t, "--data-dir", dir)
	r := stoaIn(t, []string{
		"STOA_ADAPTERS_BLOB_ENDPOINT=" + b.Endpoint, "STOA_ADAPTERS_BLOB_REGION=" + b.Region,
		"STOA_ADAPTERS_BLOB_BUCKET=" + b.Name, "STOA_ADAPTERS_BLOB_ACCESS_KEY=" + b.AccessKey,
		"STOA_ADAPTERS_BLOB_SECRET_KEY=wrong" + b.SecretKey,
	}, "doctor", "--config", withBucket(t), "--data-dir", dir)
	if n := strings.Count(r.out, "correct adapters.blob.access_key"); n != 1 {
		t.Errorf("reported %d times\n%s%s", n, r.out, r.err)
	}
}

// denying returns the address of an S3 server that denies some requests, and passes the others on to that of a bucket.
func denying(t *testing.T, b blobtest.Bucket, denies func(*http.Request) bool) string {
	t.Helper()
	to, err := url.Parse(b.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if denies(r) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>"))
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
