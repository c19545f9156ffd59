package imports_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/outbound/call"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/webhook"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// slackServer is a server that answers as Slack's, well and badly.
type slackServer struct {
	mu      sync.Mutex
	asked   map[string]int // requests by path
	most    int            // requests at once
	running int
	both    chan struct{} // closed when two files are being downloaded at once
	expired bool
}

func (s *slackServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	s.running++
	s.most = max(s.most, s.running)
	if s.most == 2 && s.running == 2 {
		select {
		case <-s.both:
		default:
			close(s.both)
		}
	}
	expired, wait := s.expired, s.both
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if strings.HasPrefix(r.URL.Path, "/api/") {
		answers := map[string]string{
			"/api/emoji.list":       `{"ok":false,"error":"missing_scope"}`,
			"/api/users.list":       `{"ok":true,"members":[{"id":"U2","profile":{"email":"ben@example.com"}}]}`,
			"/api/team.profile.get": `{"ok":true,"profile":{"fields":[{"id":"X1","label":"Team"}]}}`,
		}
		if r.Header.Get("Authorization") != "Bearer xoxp-1" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, answers[r.URL.Path])
		return
	}
	if expired || r.URL.Query().Get("t") != "xoxe-2" && !strings.HasPrefix(r.URL.Path, "/edge/") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html>please log in</html>")
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	switch name := r.URL.Path; name {
	case "/gone":
		w.WriteHeader(http.StatusNotFound)
	case "/elsewhere":
		http.Redirect(w, r, "https://127.0.0.1/secret", http.StatusFound)
	case "/cdn":
		http.Redirect(w, r, "https://a.slack-edge.com/edge/cdn", http.StatusFound)
	case "/a", "/b":
		<-wait
		fmt.Fprint(w, "content of "+name)
	case "/large":
		_, _ = io.Copy(w, io.LimitReader(zeros{}, 3<<20))
	default:
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("content of "+name))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// rerouted is the shipped adapter, which reaches a server of the test instead of Slack's.
type rerouted struct {
	ports.Webhooks
	to string
	t  testing.TB
}

func (r rerouted) Download(ctx context.Context, d importing.DownloadRequest) (*importing.DownloadReply, error) {
	host, path, _ := strings.Cut(strings.TrimPrefix(d.URL, "https://"), "/")
	switch host {
	case "files.slack.com", "slack.com", "a.slack-edge.com":
	default:
		r.t.Errorf("%s was asked", host)
	}
	d.URL = r.to + "/" + path
	return r.Webhooks.(ports.Downloads).Download(ctx, d)
}

func (r rerouted) Get(context.Context, string, string) (webhook.Reply, error) { panic("not called") }

// downloading starts a server that downloads from s instead of from Slack.
func downloading(t *testing.T, s *slackServer, url string) *server {
	t.Helper()
	local := httptest.NewServer(s)
	t.Cleanup(local.Close)
	config := call.Defaults()
	config.Networks = []string{"127.0.0.1/32"}
	w, err := call.New(config)
	if err != nil {
		t.Fatal(err)
	}
	type none struct{ fx.In }
	return startLogging(t, url, nil, kit.Adapter("webhooks", "rerouted", "Reaches a server of the test.", kit.None{},
		func(kit.None, none) (ports.Webhooks, error) { return rerouted{w, local.URL, t}, nil }))
}

// linking is an archive of Slack with links to files.
func linking(t *testing.T, names ...string) string {
	t.Helper()
	files := maps.Clone(exported["slack"])
	files["users.json"] = strings.Replace(files["users.json"], `,"email":"ben@example.com"`,
		`,"fields":{"X1":{"value":"red"}}`, 1)
	var all []string
	for i, name := range names {
		all = append(all, fmt.Sprintf(`{"type":"message","user":"U1","text":"see","ts":"17163793%02d.000100","files":[{"id":"F%d",
			"name":"%s.txt","mode":"hosted","url_private":"https://files.slack.com/%s?t=xoxe-2"}]}`, i, i, name, name))
	}
	files["garden/2024-05-23.json"] = "[" + strings.Join(all, ",") + "]"
	return write(t, files)
}

// Files are downloaded from Slack's hosts only, a few at once. Those that cannot be had are counted.
func TestDownloads(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		remote := &slackServer{asked: map[string]int{}, both: make(chan struct{})}
		s := downloading(t, remote, url)
		token := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(token, []byte("xoxp-1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		names := []string{"a", "b", "gone", "elsewhere", "cdn", "large", "c"}
		flags := map[string]any{"Archive": linking(t, names...), "Realm": "my-slack", "Download": true, "TokenFile": token,
			"MaxFile": 2}
		r, err := s.command(t.Context(), "import slack", flags)
		if err != nil {
			t.Fatal(err)
		}
		said := s.conversations(r, "slack")
		for _, name := range names {
			lost := strings.Contains(said, "["+name+".txt](missing file)") || strings.Contains(said, name+".txt (missing file)")
			if want := name == "gone" || name == "elsewhere" || name == "large"; lost != want {
				t.Errorf("%s is lost: %v, want %v; %s", name, lost, want, said)
			}
		}
		if remote.most > 4 {
			t.Errorf("%d files were downloaded at once", remote.most)
		}
		for _, text := range []string{said, fmt.Sprint(r)} {
			if strings.Contains(text, "xox") {
				t.Errorf("the token is in %s", text)
			}
		}
		if !strings.Contains(fmt.Sprint(r.Notes), "missing_scope") {
			t.Errorf("notes: %q", r.Notes)
		}
		if _, err := s.command(t.Context(), "import slack", flags); err != nil {
			t.Fatal(err)
		}
		if remote.asked["/a"] != 1 || remote.asked["/gone"] != 2 {
			t.Errorf("a second run asks for %v", remote.asked)
		}
		s.at(r, "my-slack", "ben") // his address was looked up
	})
}

// A token that is not accepted ends the import once, and a later run continues with another one.
func TestDownloadsLoggedOut(t *testing.T) {
	remote := &slackServer{asked: map[string]int{}, both: make(chan struct{}), expired: true}
	s := downloading(t, remote, "")
	flags := map[string]any{"Archive": linking(t, "a", "b", "c"), "Realm": "my-slack", "Download": true}
	if _, err := s.command(t.Context(), "import slack", flags); err == nil || !strings.Contains(err.Error(), "log in") ||
		strings.Contains(err.Error(), "xox") {
		t.Fatal(err)
	}
	remote.mu.Lock()
	remote.expired = false
	remote.mu.Unlock()
	r, err := s.command(t.Context(), "import slack", flags)
	if err != nil {
		t.Fatal(err)
	}
	if c := countOf(r, "files"); c.Imported != 3 {
		t.Errorf("files: %+v", c)
	}
}

// counted contains the numbers of records of a kind.
type counted struct{ Imported, Converted, Skipped, Refused int }

func countOf(r result, kind string) counted {
	for _, c := range r.Counts {
		if c.Kind == kind {
			return counted{c.Imported, c.Converted, c.Skipped, c.Refused}
		}
	}
	return counted{}
}
