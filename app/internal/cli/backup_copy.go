package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// snapshots is the maximum number of copies of the database. If a file is deleted while others are being copied, the
// backup lacks it although its database refers to it. A new copy of the database no longer does.
const snapshots = 4

// copyTo copies a SQLite server to a folder that can be served. It builds the copy in a temporary folder next to that,
// and renames it when complete.
func (e *env) copyTo(target string) error {
	to, err := filepath.Abs(target)
	if err != nil {
		return err
	}
	if err := ensureVacant(to); err != nil {
		return err
	}
	o := e.options(e.sources())
	o.Existing = true
	s, err := server.New(e.ctx, o, e.Modules...)
	if errors.Is(err, server.ErrNoDatabase) {
		return e.noOrganization()
	}
	if err != nil {
		return err
	}
	defer e.end(s)
	defer e.cancelOnSignal()()
	if err := removeUnfinished(to); err != nil {
		return fmt.Errorf("remove an earlier copy that was interrupted: %w", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), fmt.Sprintf("%s%d-*", unfinishedPrefix(to), os.Getpid()))
	if err != nil {
		return fmt.Errorf("create the folder of the copy: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // already gone if it was renamed
	b := &copyRun{env: e, from: s, dir: dir, options: o}
	if err := b.copy(); err != nil {
		return err
	}
	if err := errors.Join(syncDir(dir), os.Rename(dir, to)); err != nil {
		return fmt.Errorf("move the copy to its place: %w", err)
	}
	if err := syncDir(filepath.Dir(to)); err != nil {
		return err
	}
	e.printf("The copy is complete and verified. To run it: stoa serve --data-dir %s\n", shellWord(target))
	return nil
}

// unfinishedPrefix returns the prefix of the names of unfinished copies. The ID of the writing process follows it.
func unfinishedPrefix(to string) string { return "." + filepath.Base(to) + "-unfinished-" }

// removeUnfinished removes copies to the same folder that were interrupted: those of processes that no longer run.
func removeUnfinished(to string) error {
	entries, err := os.ReadDir(filepath.Dir(to))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range entries {
		rest, ok := strings.CutPrefix(f.Name(), unfinishedPrefix(to))
		pid, _, _ := strings.Cut(rest, "-")
		id, err := strconv.Atoi(pid)
		// A folder with this process's ID is older: in containers, every process may have the same one.
		if !ok || err != nil || id <= 0 || id != os.Getpid() && running(id) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(filepath.Dir(to), f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// running reports whether a process may be running.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// ensureVacant checks that a folder does not exist, or removes it if it is empty.
func ensureVacant(dir string) error {
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists and is not an empty folder; name another one", dir)
	}
	return nil
}

// syncDir syncs a folder's directory entries to disk.
func syncDir(dir string) error {
	f, err := os.Open(dir) //nolint:gosec // the operator names it
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// copyRun is the state of a running copy.
type copyRun struct {
	*env
	from    *server.Server
	dir     string
	options server.Options
	percent int
}

func (b *copyRun) copy() error {
	for left := snapshots; ; left-- {
		missing, err := b.copyOnce()
		if err != nil {
			return err
		}
		if missing == 0 {
			break
		}
		if left == 1 {
			b.printError(fmt.Sprintf("%d files named in the database do not exist; see %s", missing, b.command("blobs check")))
			break
		}
		if err := os.Remove(b.database()); err != nil {
			return err
		}
	}
	return b.secret()
}

func (b *copyRun) database() string { return filepath.Join(b.dir, "stoa.db") }

// copyOnce copies the database and the files not copied yet. It returns the number of missing files.
func (b *copyRun) copyOnce() (missing int, err error) {
	b.percent = -1
	err = b.from.DB().Backup(b.ctx, b.database(), func(done, all int) { b.progress("database", done, all) })
	if errors.Is(err, bunstore.ErrNotSQLite) {
		return 0, errors.New(
			"only SQLite databases can be copied to a folder that can be served; for PostgreSQL, leave out --copy",
		)
	}
	if err != nil {
		return 0, err
	}
	o := b.options
	o.Log = slog.New(slog.DiscardHandler)
	o.Set = map[string]string{"data_dir": b.dir, "database.url": "sqlite:" + b.database()}
	files := b.keepsFiles()
	if files {
		o.Set["adapters.blob.dir"] = filepath.Join(b.dir, "blobs")
	}
	copied, err := server.New(b.ctx, o, b.Modules...)
	if err != nil {
		return 0, fmt.Errorf("open the copy: %w", err)
	}
	if err = copied.DB().Verify(b.ctx); err == nil && files {
		missing, err = b.files(copied)
	}
	return missing, errors.Join(err, copied.Stop(context.WithoutCancel(b.ctx)))
}

// keepsFiles reports whether files are stored in a folder. If not, it prints a note.
func (b *copyRun) keepsFiles() bool {
	for _, c := range b.from.Config.Plan {
		if c.Slot == "blob" {
			if c.Name == "disk" {
				return true
			}
			b.printError("files are not copied: adapters.blob stores them elsewhere (" + c.Name + ")")
		}
	}
	return false
}

// files copies the files that the copied database refers to, except those copied already.
func (b *copyRun) files(copied *server.Server) (missing int, err error) {
	all := 0
	for _, err := range copied.ReferencedBlobs(b.ctx) {
		if err != nil {
			return 0, err
		}
		all++
	}
	b.percent = -1
	done := 0
	for key, err := range copied.ReferencedBlobs(b.ctx) {
		if err != nil {
			return 0, err
		}
		switch err := b.file(copied.Ports.Blobs, key); {
		case errs.Is(err, errs.NotFound) && !key.Optional:
			missing++
		case err != nil && !errs.Is(err, errs.NotFound):
			return 0, fmt.Errorf("copy the file %s: %w", key.Key, reason(err))
		}
		done++
		b.progress("files", done, all)
	}
	return missing, nil
}

// file copies one file. Errors: NotFound, Unavailable.
func (b *copyRun) file(to ports.Blobs, k kit.BlobKey) error {
	if existing, _, err := to.Open(b.ctx, k.Key, 0, 0); err == nil {
		return existing.Close()
	} else if !errs.Is(err, errs.NotFound) {
		return err
	}
	body, info, err := b.from.Ports.Blobs.Open(b.ctx, k.Key, 0, -1)
	if err != nil {
		return err
	}
	_, err = to.Put(b.ctx, k.Key, body, info.Size)
	return errors.Join(err, body.Close())
}

// secret copies the secret if it is stored in a file.
func (b *copyRun) secret() error {
	from, err := os.Open(filepath.Join(b.from.Config.Settings.DataDir, "secret"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("copy the secret: %w", err)
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(filepath.Join(b.dir, "secret"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copy the secret: %w", err)
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return fmt.Errorf("copy the secret: %w", err)
	}
	return nil
}

// progress prints a line for every ten percent.
func (b *copyRun) progress(what string, done, all int) {
	if now := 10 * done / max(1, all); now != b.percent {
		b.percent = now
		b.printf("%s: %d %%\n", what, 10*now)
	}
}
