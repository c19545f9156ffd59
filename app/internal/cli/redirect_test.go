package cli_test

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/modules/standard"
)

// With redirect, whoever may read a file gets a URL of the store for a minute, which delivers the file as the server
// would. Nobody else gets one, and without redirect nobody does.
func TestDownloadsFromStore(t *testing.T) {
	t.Parallel()
	dir, b := filepath.Join(t.TempDir(), "data"), blobtest.S3(t)
	made := founded(t, "--data-dir", dir)
	config := withBucket(t)
	start := func(redirect string) *running {
		return serveIn(t, []string{
			"STOA_ADAPTERS_BLOB_ENDPOINT=" + b.Endpoint, "STOA_ADAPTERS_BLOB_REGION=" + b.Region,
			"STOA_ADAPTERS_BLOB_BUCKET=" + b.Name, "STOA_ADAPTERS_BLOB_ACCESS_KEY=" + b.AccessKey,
			"STOA_ADAPTERS_BLOB_SECRET_KEY=" + b.SecretKey, "STOA_ADAPTERS_BLOB_REDIRECT=" + redirect,
		}, standard.Modules(), "--config", config, "--data-dir", dir)
	}
	get := func(address string, as owner, header ...string) (int, http.Header, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if as.Key != "" {
			req.SetBasicAuth(as.Email, as.Key)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := http.DefaultTransport.RoundTrip(req) // follows no redirects
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header, string(body)
	}

	s := start("false")
	path := attach(t, s.url, made.Email, made.Key, "content")
	status, want, body := get(s.url+path, made)
	if status != 200 || body != "content" {
		t.Fatalf("without redirect: %d %s", status, body)
	}
	s.stop(0)

	s = start("true")
	defer s.stop(0)
	status, h, body := get(s.url+path, made)
	to, err := url.Parse(h.Get("Location"))
	if err != nil || status != 302 || to.Host != strings.TrimPrefix(b.Endpoint, "http://") || body != "" {
		t.Fatalf("%d %v %s", status, h, body)
	}
	if cache := h.Get("Cache-Control"); cache != "private, no-cache" || to.Query().Get("X-Amz-Expires") != "60" {
		t.Errorf("%s, %v", cache, to)
	}
	if strings.Contains(to.String(), b.SecretKey) || strings.Contains(to.String(), made.Key) {
		t.Errorf("a secret is in %v", to)
	}
	status, h, body = get(to.String(), owner{})
	if status != 200 || body != "content" {
		t.Errorf("from the store: %d %s", status, body)
	}
	for _, name := range []string{"Content-Type", "Content-Disposition"} {
		if h.Get(name) != want.Get(name) {
			t.Errorf("%s: %q from the store, %q from the server", name, h.Get(name), want.Get(name))
		}
	}
	if status, _, body := get(to.String(), owner{}, "Range", "bytes=2-4"); status != 206 || body != "nte" {
		t.Errorf("a range: %d %s", status, body)
	}
	for name, value := range map[string]string{
		"response-content-type": "text/html", "response-content-disposition": "inline", "X-Amz-Expires": "6000",
	} {
		altered, query := *to, to.Query()
		query.Set(name, value)
		altered.RawQuery = query.Encode()
		if status, _, _ := get(altered.String(), owner{}); status != 403 {
			t.Errorf("with another %s: %d", name, status)
		}
	}
	for _, way := range []string{"/user_uploads/", "/user_uploads/download/"} {
		status, h, _ := get(s.url+strings.Replace(path, "/user_uploads/", way, 1), owner{})
		if status == 200 || strings.Contains(h.Get("Location"), to.Host) {
			t.Errorf("without login: %d %v", status, h)
		}
	}
}
