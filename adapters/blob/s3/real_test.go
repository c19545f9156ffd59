package s3_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/adapters/blob/s3"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

func realConfig(b blobtest.Bucket) s3.Config {
	c := s3.Defaults()
	c.Endpoint, c.Region, c.Bucket = b.Endpoint, b.Region, b.Name
	c.AccessKey, c.SecretKey = kit.Secret(b.AccessKey), kit.Secret(b.SecretKey)
	return c
}

func openReal(t *testing.T, c s3.Config) *s3.Store {
	t.Helper()
	s, err := s3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReal tests the contract, health check and signed URLs on a real server.
func TestReal(t *testing.T) {
	c := realConfig(blobtest.S3(t))
	s := openReal(t, c)
	blobtest.Run(t, s)

	if to, err := s.Link(t.Context(), "a", blob.Serve{}, time.Minute); to != "" || err != nil {
		t.Errorf("a link without redirect: %q, %v", to, err)
	}
	c.Redirect = true
	s = openReal(t, c)
	blobtest.Put(t, s, "links/ä b.html", "<b>text")
	to, err := s.Link(t.Context(), "links/ä b.html",
		blob.Serve{Type: "text/plain; charset=utf-8", Disposition: "attachment; filename=x", Cache: "no-store"}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	status, body, h := get(t, to)
	if status != 200 || body != "<b>text" || h.Get("Content-Type") != "text/plain; charset=utf-8" ||
		h.Get("Content-Disposition") != "attachment; filename=x" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %q %v", status, body, h)
	}
	if status, _, _ := get(t, strings.Replace(to, "text%2Fplain", "text%2Fhtml", 1)); status != 403 {
		t.Errorf("an altered URL: %d", status)
	}

	c.Bucket = "none"
	err = openReal(t, c).Check(t.Context())
	if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), `the bucket "none" does not exist at http`) {
		t.Errorf("a missing bucket: %v", err)
	}
	c.SecretKey = "wrong"
	if err = openReal(t, c).Check(t.Context()); !errs.Is(err, errs.Unavailable) ||
		!strings.Contains(err.Error(), "cannot reach the bucket") {
		t.Errorf("a wrong key: %v", err)
	}
}

func get(t *testing.T, address string) (int, string, http.Header) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b), res.Header
}
