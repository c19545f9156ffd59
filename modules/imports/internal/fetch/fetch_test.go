package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/outbound/call"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/ports"
)

// local is the shipped adapter, which reaches a server of the test whatever the host.
type local struct {
	ports.Downloads
	to string
}

func (l local) Download(ctx context.Context, d importing.DownloadRequest) (*importing.DownloadReply, error) {
	_, path, _ := strings.Cut(strings.TrimPrefix(d.URL, "https://"), "/")
	d.URL = l.to + "/" + path
	return l.Downloads.Download(ctx, d)
}

// attempts serves each path as its list of handlers says, one per request; the last one serves all later requests.
type attempts map[string][]http.HandlerFunc

func (a attempts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	all := a[r.URL.Path]
	if len(all) == 0 {
		http.NotFound(w, r)
		return
	}
	if len(all) > 1 {
		a[r.URL.Path] = all[1:]
	}
	all[0](w, r)
}

func whole(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"1"`)
	w.Header().Set("Content-Type", "text/plain")
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader("0123456789"))
}

// cut sends the first bytes of another version or the same one.
func cut(tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Length", "10")
		fmt.Fprint(w, "0123")
	}
}

func status(code int, wait string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", wait)
		w.WriteHeader(code)
	}
}

func moved(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// wrong sends the end of a file, whatever was asked for.
func wrong(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Range", "bytes 8-9/10")
	w.WriteHeader(http.StatusPartialContent)
	fmt.Fprint(w, "89")
}

func silent(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "10")
	fmt.Fprint(w, "01")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func endless(w http.ResponseWriter, _ *http.Request) {
	for range 100 {
		fmt.Fprint(w, strings.Repeat("x", 1000))
	}
}

// Files arrive whole or not at all, whatever servers do.
func TestGet(t *testing.T) {
	s := httptest.NewServer(attempts{
		"/whole":   {whole},
		"/busy":    {status(429, "7"), status(503, ""), whole},
		"/down":    {status(502, "")},
		"/later":   {status(429, "100000")},
		"/cut":     {cut(`"1"`), whole},
		"/changed": {cut(`"2"`), whole},
		"/wrong":   {wrong, whole},
		"/silent":  {silent, whole},
		"/endless": {endless},
		"/no":      {status(403, "")},
		"/out":     {status(401, "")},
		"/login":   {moved("https://acme.slack.com/?redir=x")},
		"/inside":  {moved("https://127.0.0.1/x")},
		"/plain":   {moved("http://files.slack.com/whole")},
		"/port":    {moved("https://files.slack.com:8443/whole")},
		"/circle":  {moved("https://files.slack.com/circle")},
		"/edge":    {moved("https://a.slack-edge.com/whole")},
	})
	t.Cleanup(s.Close)
	config := call.Defaults()
	config.Networks, config.Timeout = []string{"127.0.0.1/32"}, 3*time.Second // for which /silent waits
	w, err := call.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/whole": "0123456789", "/edge": "0123456789", "/busy": "0123456789 7s 2s", "/cut": "0123456789 1s",
		"/changed": "0123456789 1s", "/wrong": "0123456789 1s", "/silent": "0123456789 1s",
		"/down": "could not be downloaded 1s 2s 4s 8s", "/later": "could not be downloaded",
		"/no": "could not be downloaded", "/endless": "is larger than --max-file", "/missing": "missing",
		"/out": "token", "/login": "token", "/inside": "is not on the hosts of its program",
		"/plain": "is not on the hosts of its program", "/port": "is not on the hosts of its program",
		"/circle": "could not be downloaded",
	} {
		waits := ""
		c := &Client{
			Remote: local{w.(ports.Downloads), s.URL}, Dir: t.TempDir(), MaxBytes: 50_000, Token: "xoxp-secret",
			Wait: func(_ context.Context, d time.Duration) error { waits += " " + d.String(); return nil },
		}
		content, _, err := c.Get(t.Context(), "https://files.slack.com"+path)
		got := outcome(t, content, err) + waits
		if got != want {
			t.Errorf("%s: got %q, want %q (%v)", path, got, want, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the token is in %v", path, err)
		}
		if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v stays, %v", path, left, err)
		}
	}
}

func outcome(t *testing.T, content io.ReadCloser, err error) string {
	t.Helper()
	var failed *importing.DownloadError
	switch {
	case importing.IsUnusable(err):
		return "token"
	case errors.As(err, &failed):
		return failed.Reason
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case err != nil:
		t.Fatal(err)
	}
	text, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The token goes only to the hosts that need it.
func TestToken(t *testing.T) {
	d := &download{Client: &Client{Token: "xoxp-1"}}
	for address, want := range map[string]string{
		"https://files.slack.com/a": "xoxp-1", "https://files.slack.com/a?t=xoxe-2": "", "https://a.slack-edge.com/a": "",
		"https://slack.com/api/users.list": "xoxp-1", "https://slack.com/b": "refused", "http://files.slack.com/a": "refused",
		"https://files.slack.com.evil.example/a": "refused", "https://u:p@files.slack.com/a": "refused",
		"https://evilslack-edge.com/a": "refused", "https://slack-edge.com.evil.example/a": "refused",
	} {
		got, err := d.check(address)
		if err != nil {
			got = "refused"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
