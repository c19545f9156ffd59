package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/standard"
)

// A copy made during concurrent writes and uploads can be served, passes its checks, and contains everything that was
// acknowledged before.
func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	busy := keepBusy(t, s, made)
	rounds := 20
	if !testrun.Long() {
		rounds = 2
	}
	for i := range rounds {
		acked, files := busy.acknowledged()
		to := filepath.Join(t.TempDir(), fmt.Sprint("copy ", i))
		done := stoa(t, "", "backup", "--copy", to, "--data-dir", dir).ok(t)
		if !strings.Contains(done.out, "database: 100 %") || done.err != "" {
			t.Errorf("output: %s%s", done.out, done.err)
		}
		checkCopy(t, to, made.Email, made.Key, acked, files)
	}
	busy.stop()
	s.stop(0)
}

// busyWriters send messages and upload files until they are stopped.
type busyWriters struct {
	stopped chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex
	acked   []float64
	files   []string
}

func (b *busyWriters) stop() { close(b.stopped); b.running.Wait() }

// acknowledged returns the messages and files that the server has acknowledged so far.
func (b *busyWriters) acknowledged() (messages []float64, files []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.acked), slices.Clone(b.files)
}

func keepBusy(t *testing.T, s *running, made owner) *busyWriters {
	t.Helper()
	b := &busyWriters{stopped: make(chan struct{})}
	for w := range 3 {
		b.running.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-b.stopped:
					return
				default:
				}
				at := ""
				if w == 0 { // every second file is deleted again
					at = attach(t, s.url, made.Email, made.Key, fmt.Sprint("content ", i))
				}
				status, sent := ask(t, http.MethodPost, s.url+"/api/v1/messages", made.Email, made.Key,
					url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"load"},
						"content": {fmt.Sprintf("message [%d](%s)", i, at)}})
				if status != http.StatusOK {
					t.Errorf("send: %d %v", status, sent)
					return
				}
				if w == 0 && i%2 == 1 {
					ask(t, http.MethodDelete, fmt.Sprintf("%s/api/v1/messages/%.0f", s.url, sent["id"]), made.Email, made.Key, nil)
					continue
				}
				b.mu.Lock()
				b.acked = append(b.acked, sent["id"].(float64))
				if at != "" {
					b.files = append(b.files, at)
				}
				b.mu.Unlock()
			}
		})
	}
	return b
}

func checkCopy(t *testing.T, dir, email, key string, acked []float64, files []string) {
	t.Helper()
	stoa(t, "", "blobs", "check", "--data-dir", dir).ok(t)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	defer s.stop(0)
	have := map[float64]bool{}
	for anchor := "oldest"; ; {
		_, page := ask(t, http.MethodGet, s.url+"/api/v1/messages?num_before=0&num_after=1000&anchor="+anchor, email,
			key, nil)
		for _, m := range page["messages"].([]any) {
			id := m.(map[string]any)["id"].(float64)
			have[id], anchor = true, fmt.Sprintf("%.0f", id)
		}
		if page["found_newest"] == true {
			break
		}
	}
	for _, id := range acked {
		if !have[id] {
			t.Errorf("message %.0f was acknowledged before the backup and is missing from it", id)
		}
	}
	for _, at := range files {
		if got := fetch(t, http.MethodGet, s.url+at, email, key, "", &bytes.Buffer{}); !strings.HasPrefix(got, "content ") {
			t.Errorf("%s: %q", at, got)
		}
	}
}

func TestCopyRefused(t *testing.T) {
	t.Parallel()
	dir, full := t.TempDir(), t.TempDir()
	to := filepath.Join(t.TempDir(), "copy")
	stoa(t, "", "backup", "--copy", to, "--data-dir", dir).fails(t, 1, "there is no organization yet")
	stoa(t, "", "init", "--data-dir", dir, "--realm", "R", "--owner-email", "o@example.com", "--owner-name", "O",
		"--json").ok(t)
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "backup", "--copy", full, "--data-dir", dir).fails(t, 1, full, "not an empty folder")
	stoa(t, "", "backup", "--copy", filepath.Join(full, "no", "copy"), "--data-dir", dir).fails(t, 1,
		"create the folder of the copy")
	stoa(t, "", "backup", "--copy").fails(t, 2, "TARGET")
	left, err := os.ReadDir(filepath.Dir(to))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A backup removes what one that was killed has left, and nothing of one that still runs.
func TestUnfinishedCopyIsRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	founded(t, "--data-dir", dir)
	to := filepath.Join(t.TempDir(), "copy")
	unfinished := func(pid int) string {
		return filepath.Join(filepath.Dir(to), fmt.Sprintf(".copy-unfinished-%d-1", pid))
	}
	killed, ofSameID, running := unfinished(999999999), unfinished(os.Getpid()), unfinished(os.Getppid())
	for _, d := range []string{killed, ofSameID, running} {
		if err := os.MkdirAll(filepath.Join(d, "blobs"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	stoa(t, "", "backup", "--copy", to, "--data-dir", dir).ok(t)
	for _, d := range []string{killed, ofSameID} {
		if _, err := os.Stat(d); !os.IsNotExist(err) {
			t.Errorf("the folder of a killed backup remains: %v", err)
		}
	}
	if _, err := os.Stat(running); err != nil {
		t.Error(err)
	}
}
