package cli_test

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stoachat/stoa/modules/standard"
)

// A full disk ends a backup, which everything ignores then, and a restore, after which no server starts. Both name the
// disk, and are completed by the same command once there is space.
func TestBackupOnFullDisk(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	dir, source, disk := t.TempDir(), filepath.Join(t.TempDir(), "source"), newDisk(t)
	made := founded(t, "--data-dir", dir)
	s := serve(t, standard.Modules(), "--data-dir", dir)
	attach(t, s.url, made.Email, made.Key, strings.Repeat("0123456789abcdef", size/16))
	s.stop(0)
	stoa(t, "", "backup", source, "--data-dir", dir).ok(t)
	const remedy = "free space there, and run the command again"
	for at, limit := range map[string]int64{"blobs/": size / 2, "tables/": size + 64<<10} {
		if !disk.real { // a limit on files would affect the server's database, too
			break
		}
		to := filepath.Join(disk.dir, "backups")
		disk.limit(limit)
		stoa(t, "", "backup", to, "--data-dir", dir).fails(t, 1, at, disk.dir, remedy)
		disk.unlimited()
		stoa(t, "", "backup", "verify", to).fails(t, 3, "there is no complete backup")
		stoa(t, "", "backup", to, "--data-dir", dir).ok(t)
		stoa(t, "", "backup", "verify", to).ok(t)
		disk.clear(t)
	}
	for at, limit := range map[string]int64{"migrate": 1 << 20, "restore the file": size} {
		to := filepath.Join(disk.dir, "data")
		disk.limit(limit)
		r := stoa(t, "", "restore", source, "--data-dir", to)
		disk.unlimited()
		if disk.real {
			r.fails(t, 1, at, disk.dir, remedy)
		}
		if r.code != 0 {
			stoa(t, "", "serve", "--http-addr", "127.0.0.1:0", "--data-dir", to).fails(t, 1, "incomplete", "restore again")
			stoa(t, "", "restore", source, "--data-dir", to).ok(t)
		}
		stoa(t, "", "blobs", "check", "--data-dir", to).ok(t)
		serve(t, standard.Modules(), "--data-dir", to).stop(0)
		disk.clear(t)
	}
}

// smallDisk is a folder whose files have little space.
type smallDisk struct {
	dir       string
	real      bool // it is a file system of its own
	limit     func(bytes int64)
	unlimited func()
}

// newDisk returns a file system of its own or, for users who may not mount one, a folder whose files are limited.
func newDisk(t *testing.T) smallDisk {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m") == nil {
		t.Cleanup(func() { must(syscall.Unmount(dir, syscall.MNT_DETACH)) })
		resize := func(bytes int64) {
			must(syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprint("size=", bytes)))
		}
		return smallDisk{dir, true, resize, func() { resize(64 << 20) }}
	}
	var before syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	limit := func(bytes uint64) {
		must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}))
	}
	signal.Ignore(syscall.SIGXFSZ)
	t.Cleanup(func() { limit(before.Cur) })
	return smallDisk{dir, false, func(bytes int64) { limit(uint64(bytes)) }, func() { limit(before.Cur) }}
}

// clear deletes all files.
func (d smallDisk) clear(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(d.dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(d.dir, e.Name())))
	}
	if err != nil {
		t.Fatal(err)
	}
}
