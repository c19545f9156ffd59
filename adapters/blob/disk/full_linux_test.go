package disk_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/domain/errs"
)

// If the disk is full, the file is refused and nothing is left behind. A limit on file sizes simulates the full disk.
func TestDiskFull(t *testing.T) {
	d, dir := open(t)
	blobtest.Put(t, d, "a", "before")
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}()
	for _, key := range []string{"a", "b"} {
		if _, err := d.Put(t.Context(), key, strings.NewReader(strings.Repeat("x", 2<<20)),
			1<<30); !errs.Is(err, errs.Unavailable) {
			t.Error(err)
		}
	}
	blobtest.Is(t, d, "a", "before")
	blobtest.Is(t, d, "b", "-")
	left, err := os.ReadDir(filepath.Join(dir, ".unfinished"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}
