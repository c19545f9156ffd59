package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stoachat/stoa/adapters/blob/blobtest"
	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/domain/errs"
)

// clock is a clock with a fixed time.
type clock struct{ at time.Time }

func (c clock) Now() time.Time { return c.at }

func open(t *testing.T) (*disk.Disk, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "not", "there")
	return disk.New(dir, clock{time.Now()}), dir
}

func TestContract(t *testing.T) {
	d, dir := open(t)
	blobtest.Run(t, d)
	if left, err := os.ReadDir(filepath.Join(dir, ".unfinished")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// The folder is created by the first write, not by reads.
func TestFirstWriteCreatesFolder(t *testing.T) {
	d, dir := open(t)
	blobtest.Is(t, d, "x", "-")
	if err := d.Delete(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Symbolic links cannot escape the folder.
func TestSymlinksCannotEscape(t *testing.T) {
	d, dir := open(t)
	blobtest.Put(t, d, "a", "x")
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("s"), 0o600), os.Symlink(outside, filepath.Join(dir, "out")),
		os.Symlink(secret, filepath.Join(dir, "file"))); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"out/secret", "file"} {
		if _, _, err := d.Open(t.Context(), key, 0, -1); err == nil {
			t.Errorf("%s is read", key)
		}
	}
	if _, err := d.Put(t.Context(), "out/new", strings.NewReader("x"), 9); err == nil {
		t.Error("written outside")
	}
	_ = d.Delete(t.Context(), "out/secret")
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}

// Incomplete files left by a crash are removed after a day, and not before.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	tmp := filepath.Join(dir, ".unfinished")
	now := time.Now()
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "young": 23 * time.Hour} {
		p := filepath.Join(tmp, name)
		if err := errors.Join(os.WriteFile(p, nil, 0o600), os.Chtimes(p, now, now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	blobtest.Put(t, disk.New(dir, clock{now}), "a", "x")
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) != 1 || left[0].Name() != "young" {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A folder that cannot be written to is reported as the server's error, not the client's.
func TestUnavailable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := disk.New(file, clock{time.Now()})
	if _, err := d.Put(t.Context(), "a", strings.NewReader("x"), 9); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
	if _, _, err := d.Open(t.Context(), "a", 0, -1); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
	if err := d.Delete(t.Context(), "a"); !errs.Is(err, errs.Unavailable) {
		t.Error(err)
	}
}

// A file that shrinks while it is read is reported as an error, not as the end of the file.
func TestFileShrinksWhileRead(t *testing.T) {
	d, dir := open(t)
	blobtest.Put(t, d, "a", "0123456789")
	r, _, err := d.Open(t.Context(), "a", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if err := os.Truncate(filepath.Join(dir, "a"), 4); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(iotest.OneByteReader(r)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}

// A folder is removed with the last blob in it, even while other blobs are being stored there.
func TestEmptyFolders(t *testing.T) {
	dir := t.TempDir()
	d := disk.New(dir, clock{time.Now()})
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			key := "thumbnails/1/a/" + strconv.Itoa(i) + "/x.webp"
			for range 50 {
				if _, err := d.Put(t.Context(), key, strings.NewReader("x"), 10); err != nil {
					t.Error(err)
				}
				if err := d.Delete(t.Context(), key); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	blobtest.Put(t, d, "thumbnails/1/b/x", "x")
	if err := d.Delete(t.Context(), "thumbnails/1/b/missing"); err != nil {
		t.Error(err)
	}
	blobtest.Is(t, d, "thumbnails/1/b/x", "x")
	if left, err := os.ReadDir(filepath.Join(dir, "thumbnails", "1")); err != nil || len(left) != 1 {
		t.Error(left, err)
	}
}
