package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/standard"
)

// A server that runs, and a restore that has not ended, keep others from restoring into the same data directory. These
// do not disturb them.
func TestRestoreIntoUse(t *testing.T) {
	t.Parallel()
	dir, work := withFile(t), t.TempDir()
	archive, to := filepath.Join(work, "b.tar"), filepath.Join(work, "to")
	stoa(t, "", "backup", archive, "--data-dir", dir).ok(t)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	stoa(t, "", "restore", archive, "--data-dir", dir).fails(t, 4, "in use by a server", dir, "stop that server first")
	s.stop(0)

	content, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	first, begun := make(chan result, 1), make(chan struct{})
	in := &heldReader{Reader: content, begun: begun, release: make(chan struct{})}
	go func() {
		first <- call(t, cli.Call{Args: []string{"restore", "-", "--data-dir", to}, In: in})
	}()
	testrun.Receive(t, begun, "the first restore")
	stoa(t, "", "restore", archive, "--data-dir", to).fails(t, 4, "in use", to, "another restore is running")
	stoa(t, "", "serve", "--http-addr", "127.0.0.1:0", "--data-dir", to).fails(t, 1, "in use", to)
	close(in.release)
	testrun.Receive(t, first, "the first restore").ok(t)
	stoa(t, "", "blobs", "check", "--data-dir", to).ok(t)
}

// heldReader begins to read when it is released.
type heldReader struct {
	io.Reader
	begun, release chan struct{}
	once           sync.Once
}

// Read implements io.Reader.
func (h *heldReader) Read(p []byte) (int, error) {
	h.once.Do(func() { close(h.begun) })
	<-h.release
	return h.Reader.Read(p)
}
