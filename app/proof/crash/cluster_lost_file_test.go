package crash_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestClusterLostFile removes the SQLite database of a server while four clients send. From then on every send must be
// refused with status 503, and /health must fail. The log must name the cause, and a new start must not create an
// organization in the folder. A copy of the file must contain all acknowledged messages once.
func TestClusterLostFile(t *testing.T) {
	if storetest.Postgres() && !alone() {
		t.Skip("SQLite only")
	}
	t.Setenv("STOA_TEST_DATABASE", "sqlite")
	s := harness.NewServer(t)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	f := &lostFile{Server: s, dir: s.Variable("STOA_DATA_DIR"), kept: t.TempDir(), acked: map[string]int64{}}
	ctx, stop := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	defer func() { stop(); sending.Wait() }()
	for i := range 4 {
		sending.Go(func() { f.sendAs(ctx, i) })
	}
	f.until("some messages are acknowledged", func() bool { return f.count() >= 50 })
	f.remove()
	removed := time.Now()
	f.until("/health fails", func() bool {
		res, err := http.Get(s.URL + "/health")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusServiceUnavailable
	})
	noticed := time.Since(removed)
	f.until("sends are refused", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.unavailable >= 20 })
	stop()
	sending.Wait()
	if !strings.Contains(s.Log.String(), "was removed while the server runs") {
		t.Errorf("the log lacks the cause:\n%s", s.Log)
	}
	s.Kill()
	limit, cancel := context.WithTimeout(t.Context(), testrun.Patience)
	defer cancel()
	cmd := exec.CommandContext(limit, harness.Binary(t), "serve")
	cmd.Env = s.Env
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "does not exist, but the folder") ||
		!strings.Contains(string(out), "holds blobs of an organization") {
		t.Errorf("a new start: %v\n%s", err, out)
	}
	f.restore()
	s.Start()
	lost, doubled := f.compare()
	if lost > 0 || doubled > 0 {
		t.Error("messages were lost or duplicated")
	}
	addFault(faultRow{fault: "SQLite file removed", sent: len(f.acked), lost: lost, doubled: doubled, refused: f.refused,
		longest: noticed, what: "until /health failed"})
}

// lostFile is a server that loses its database.
type lostFile struct {
	*harness.Server
	dir, kept string // the data folder, and a folder with copies

	mu          sync.Mutex
	removed     bool
	acked       map[string]int64 // message IDs by content
	unavailable int              // number of sends that got status 503
	refused     int              // number of sends with another error
}

func (f *lostFile) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.acked)
}

// until waits for a condition.
func (f *lostFile) until(what string, done func() bool) {
	f.T.Helper()
	testrun.Await(f.T, what, done, f.Log)
}

// sendAs sends messages as client i until ctx ends. Errors other than status 503 after the removal are failures.
func (f *lostFile) sendAs(ctx context.Context, i int) {
	for n := 0; ctx.Err() == nil; n++ {
		f.sendOne(fmt.Sprintf("%d-%d", i, n))
	}
}

func (f *lostFile) sendOne(content string) {
	f.mu.Lock()
	late := f.removed
	f.mu.Unlock()
	out, err := f.Call(http.MethodPost, "/messages", url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"},
		"content": {content}})
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil && out["result"] == "success" && !late:
		f.acked[content] = harness.Int(out["id"])
	case err == nil && out["result"] == "success":
		f.T.Errorf("%q was acknowledged after the file was removed", content)
	case err != nil && strings.HasPrefix(err.Error(), "503: ") && f.removed:
		f.unavailable++
	default:
		f.refused++
		f.T.Errorf("%q: %v %v", content, out, err)
	}
}

// remove removes the files of the database, and keeps links to them.
func (f *lostFile) remove() {
	f.T.Helper()
	files := f.files(f.dir)
	for _, name := range files {
		if err := os.Link(filepath.Join(f.dir, name), filepath.Join(f.kept, name)); err != nil {
			f.T.Fatal(err)
		}
	}
	// Requests may fail before this function has returned.
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range files {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
			f.T.Fatal(err)
		}
	}
	f.removed = true
}

// restore puts the files back. SQLite recreates the one with shared memory.
func (f *lostFile) restore() {
	f.T.Helper()
	for _, name := range f.files(f.kept) {
		if strings.HasSuffix(name, "-shm") {
			continue
		}
		if err := os.Link(filepath.Join(f.kept, name), filepath.Join(f.dir, name)); err != nil {
			f.T.Fatal(err)
		}
	}
}

// files returns the names of the database's files in a folder.
func (f *lostFile) files(dir string) []string {
	f.T.Helper()
	var out []string
	for _, name := range []string{"stoa.db", "stoa.db-wal", "stoa.db-shm"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// compare counts the acknowledged messages that are not stored, and those that are stored twice.
func (f *lostFile) compare() (lost, doubled int) {
	f.T.Helper()
	page := f.Must("GET", "/messages", url.Values{"anchor": {"newest"}, "num_before": {"5000"}, "num_after": {"0"},
		"apply_markdown": {"false"}, "narrow": {`[["channel","proof"],["topic","t"]]`}})
	stored := map[string]int64{}
	for _, m := range page["messages"].([]any) {
		message := m.(map[string]any)
		content := message["content"].(string)
		if stored[content] != 0 {
			doubled++
		}
		stored[content] = harness.Int(message["id"])
	}
	for content, id := range f.acked {
		if stored[content] != id {
			lost++
		}
	}
	return lost, doubled
}
