package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"filippo.io/age"

	"github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/ports"
)

// bucketScheme is the beginning of a target in an object store.
const bucketScheme = "s3://"

// place is where a backup is written.
type place struct {
	blobs    ports.Blobs
	complete func() error // to be called when everything was written
	close    func()
}

// writable opens a target for writing. prunes tells whether others are to be deleted from it.
func (e *env) writable(s *server.Server, target string, prunes bool) (*place, error) {
	if prunes && (target == "-" || isArchive(target)) {
		return nil, codedError{errors.New("--keep works with a folder or a bucket, which hold several backups"), usage}
	}
	switch {
	case target == "-":
		w := backup.NewTarWriter(e.Out)
		return &place{w, w.Close, func() {}}, nil
	case isArchive(target):
		return newArchive(target)
	}
	blobs, err := s.Place(target)
	if err != nil {
		return nil, err
	}
	if err := e.check(blobs, target); err != nil {
		return nil, err
	}
	return &place{blobs, func() error { return nil }, func() {}}, nil
}

// newArchive creates an archive under another name, which is renamed when it is complete.
func newArchive(target string) (*place, error) {
	if _, err := os.Stat(target); err == nil {
		return nil, codedError{fmt.Errorf("%s exists already; name another file", target), refused}
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-unfinished-*")
	if err != nil {
		return nil, fmt.Errorf("create the archive: %w", err)
	}
	w := backup.NewTarWriter(f)
	complete := func() error {
		err := errors.Join(w.Close(), f.Sync(), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), target)
		}
		if err == nil {
			err = syncDir(filepath.Dir(target))
		}
		return err
	}
	return &place{w, complete, func() { _, _ = f.Close(), os.Remove(f.Name()) }}, nil
}

// check refuses a folder with other files, and reports a bucket that does not respond.
func (e *env) check(blobs ports.Blobs, target string) error {
	if strings.HasPrefix(target, bucketScheme) {
		if err := blobs.Check(e.ctx); err != nil {
			return codedError{fmt.Errorf("%s: %w; here, the target names the bucket, and the settings of backup.s3 take "+
				"precedence over those of adapters.blob", target, reason(err)), unavailable}
		}
		return nil
	}
	entries, err := os.ReadDir(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range entries {
		name := f.Name()
		if strings.HasPrefix(name, "pre-") && filepath.Ext(name) == ".db" {
			continue // a copy that the server has made before a migration
		}
		if name != "sets" && name != "blobs" && name != "lost+found" && !strings.HasPrefix(name, ".") {
			return codedError{fmt.Errorf("%s is not a folder of backups: it contains %s; name an empty folder", target, name),
				refused}
		}
	}
	return nil
}

// readable opens a backup for reading. done must be called at the end.
func (e *env) readable(s *server.Server, target, at, identity string) (from backup.From, done func(), err error) {
	if target == "" {
		if target = s.Config.Settings.Backup.Target; target == "" {
			return from, nil, codedError{errors.New("name the backup, or set backup.target in the configuration"), usage}
		}
	}
	if from.Identities, err = identities(identity); err != nil {
		return from, nil, err
	}
	if from.Place, done, err = e.opened(s, target); err != nil {
		return from, nil, err
	}
	from.Set, err = backup.Find(e.ctx, from.Place, at)
	if err != nil {
		done()
		return from, nil, e.backupError(fmt.Errorf("%s: %w", target, err))
	}
	return from, done, nil
}

func (e *env) opened(s *server.Server, target string) (ports.Blobs, func(), error) {
	if target == "-" {
		return e.piped()
	}
	info, err := os.Stat(target)
	switch {
	case strings.HasPrefix(target, bucketScheme):
		blobs, err := s.Place(target)
		if err == nil {
			err = e.check(blobs, target)
		}
		return blobs, func() {}, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, codedError{fmt.Errorf("%s does not exist", target), absent}
	case err != nil:
		return nil, nil, err
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(target, "stoa.db")); err == nil {
			return nil, nil, codedError{fmt.Errorf("%s is not a folder of backups, but one that can be served: %s", target,
				e.command("serve --data-dir "+shellWord(target))), refused}
		}
		blobs, err := s.Place(target)
		return blobs, func() {}, err
	}
	f, err := os.Open(target) //nolint:gosec // the operator names it
	if err != nil {
		return nil, nil, err
	}
	t, err := backup.OpenTar(f)
	if err != nil {
		return nil, nil, errors.Join(e.backupError(err), f.Close())
	}
	return t, func() { _ = f.Close() }, nil
}

// piped copies standard input to a temporary file.
func (e *env) piped() (ports.Blobs, func(), error) {
	f, err := os.CreateTemp("", "stoa-backup-*.tar")
	if err != nil {
		return nil, nil, err
	}
	done := func() { _, _ = f.Close(), os.Remove(f.Name()) }
	var t ports.Blobs
	if _, err = io.Copy(f, e.In); err == nil {
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			t, err = backup.OpenTar(f)
		}
	}
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("standard input: %w", err)
	}
	return t, done, nil
}

// identities reads the private keys in a file of age.
func identities(path string) ([]age.Identity, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path) //nolint:gosec // the operator names it
	if err != nil {
		return nil, codedError{fmt.Errorf("--identity: %w", err), usage}
	}
	defer func() { _ = f.Close() }()
	all, err := age.ParseIdentities(f)
	if err != nil {
		return nil, codedError{fmt.Errorf("--identity: %s contains no private key of age, as age-keygen writes it", path),
			usage}
	}
	return slices.Clip(all), nil
}

// printJSON prints a value as JSON.
func (e *env) printJSON(v any) error {
	out := json.NewEncoder(e.Out)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// printNote writes a note to standard error.
func (e *env) printNote(format string, args ...any) { e.printError(fmt.Sprintf(format, args...)) }
