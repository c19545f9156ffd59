package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/nodes"
)

// Migrate applies the missing migrations that this version needs. Those that end an upgrade wait for FinishUpgrade. If
// the database is in use, Migrate first checks that no process is alive that a migration would break, and copies a
// SQLite database. Options.Force skips the check, and the copy if the disk is too small.
func (s *Server) Migrate(ctx context.Context) error { return s.migrate(ctx, false) }

// FinishUpgrade is Migrate for all missing migrations. Earlier versions may be unable to use the database afterwards.
func (s *Server) FinishUpgrade(ctx context.Context) error { return s.migrate(ctx, true) }

func (s *Server) migrate(ctx context.Context, finish bool) error {
	if err := s.db.CheckRestored(ctx); err != nil {
		return err
	}
	all := s.Migrations()
	steps, err := s.db.Migrations(ctx, all)
	if err != nil {
		return err
	}
	renamed, err := s.db.Renamed(ctx, all)
	if err != nil {
		return err
	}
	used, missing, waiting := false, len(renamed) > 0, 0
	var breaking []string
	for _, m := range renamed {
		breaking = append(breaking, bunstore.RenameOf(m))
	}
	for _, p := range steps {
		switch {
		case p.Applied:
			used = true
		case p.Waits() && !finish:
			waiting++
		case p.Breaks():
			breaking = append(breaking, p.String())
			fallthrough
		default:
			missing = true
		}
	}
	if waiting > 0 {
		s.Log.InfoContext(ctx, "migrations wait until the upgrade is finished; when all servers run this version, run "+
			"stoa migrate finish", "waiting", waiting)
	}
	u := bunstore.Upgrade{Version: s.options.Version, Finish: finish, Began: s.progress.began}
	if !used || !missing {
		return s.db.Upgrade(ctx, all, u)
	}
	if len(breaking) > 0 && !s.options.Force {
		if u.Allowed, err = s.node.Guard(ctx, breaking); err != nil {
			return err
		}
	}
	if err := s.copyBefore(ctx); err != nil {
		return err
	}
	if err := s.db.Upgrade(ctx, all, u); err != nil {
		return err
	}
	if s.db.File() == "" {
		return nil
	}
	if err := os.Remove(s.copyBeforeName() + unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("after the migration: %w", err)
	}
	return nil
}

// LivingError reports processes of other versions that a migration would break.
type LivingError = nodes.LivingError

// spareDisk is how many bytes must remain free after copying the database.
const spareDisk = 2 * minFreeDisk

// unfinished is added to the name of a copy for an empty file that exists until the migration is complete.
const unfinished = ".unfinished"

// copies is the folder of the copies of a SQLite database, next to it.
const copies = "backups"

// copyBeforeName returns the path of the copy of a SQLite database.
func (s *Server) copyBeforeName() string {
	return filepath.Join(filepath.Dir(s.db.File()), copies, "pre-"+fileName(s.options.Version)+".db")
}

// copyBefore copies a SQLite database to backups/pre-VERSION.db in its folder, and deletes such copies of earlier
// upgrades.
func (s *Server) copyBefore(ctx context.Context) error {
	file := s.db.File()
	if file == "" || s.options.NoCopy || !s.Config.Settings.Database.CopyBefore {
		return nil
	}
	to := s.copyBeforeName()
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("copy the database before the migration: %w", err)
	}
	if kept, err := s.interrupted(ctx, to); err != nil || kept {
		return err
	}
	size, err := sizeOf(file)
	if err != nil {
		return fmt.Errorf("copy the database before the migration: %w", err)
	}
	if free, known := freeBytes(dir); known && free < size+spareDisk {
		short := fmt.Sprintf("the copy of the database before the migration needs %d MiB, but only %d MiB are free on the "+
			"disk of %s", (size+spareDisk)>>20, free>>20, dir)
		if !s.options.Force {
			return errors.New(short + "; free some space, or migrate with --no-copy")
		}
		s.Log.Warn(short)
		return nil
	}
	if err := s.copyTo(ctx, dir, to); err != nil {
		return err
	}
	s.Log.Info("copied the database before migrating it", "copy", to)
	return nil
}

// copyTo writes the copy under another name first, so that an interrupted copy is never taken for a complete one.
func (s *Server) copyTo(ctx context.Context, dir, to string) error {
	partial := filepath.Join(dir, ".pre.db")
	if err := os.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("copy the database before the migration: %w", err)
	}
	defer func() { _ = os.Remove(partial) }() // already gone if it was renamed
	err := s.db.Backup(ctx, partial, s.progress.copied)
	if err == nil {
		err = persist(partial)
	}
	if err == nil {
		err = os.Rename(partial, to)
	}
	if err == nil {
		err = os.WriteFile(to+unfinished, nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("copy the database before the migration: %w", err)
	}
	others, err := filepath.Glob(filepath.Join(quoteGlob(dir), "pre-*.db*"))
	if err != nil {
		return err
	}
	for _, f := range others {
		if f != to && f != to+unfinished {
			err = errors.Join(err, os.Remove(f))
		}
	}
	return errors.Join(err, persist(dir))
}

// interrupted reports whether a copy exists from an earlier attempt to migrate to this version, which applied some
// steps and is not complete. It is kept, because the database is no longer what it was before. After a complete
// migration, the same version migrates again if another module is enabled.
func (s *Server) interrupted(ctx context.Context, copied string) (bool, error) {
	for _, f := range []string{copied, copied + unfinished} {
		if _, err := os.Stat(f); errors.Is(err, fs.ErrNotExist) || s.options.Version == developed {
			return false, nil
		}
	}
	before, err := bunstore.Steps(ctx, copied)
	if err != nil {
		return false, fmt.Errorf("%s can't be read; move it elsewhere: %w", copied, err)
	}
	now, err := s.db.Steps(ctx)
	return before < now, err
}

// sizeOf returns the size of a SQLite database with its write-ahead log.
func sizeOf(file string) (uint64, error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	size := uint64(max(0, info.Size()))
	if log, err := os.Stat(file + "-wal"); err == nil {
		size += uint64(max(0, log.Size()))
	}
	return size, nil
}

// persist syncs a file, or the entries of a folder, to disk.
func persist(path string) error {
	f, err := os.Open(path) //nolint:gosec // a file of the server
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// fileName returns a version as a part of a file's name.
func fileName(version string) string {
	name := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '+' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, version)
	return name[:min(len(name), 100)]
}
