package engine

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
)

// filesPerReport is the number of files after which progress is reported.
const filesPerReport = 20

// writeFiles stores the files that are not known.
func (t *task) writeFiles(ctx context.Context) error {
	if t.Options.NoFiles {
		return nil
	}
	a := newAhead(ctx, t)
	err := t.source.Files(ctx, func(f *importing.File) error {
		size, left := t.leftOut(f)
		defer t.meter.add(1, size)
		if left {
			return nil
		}
		if len(t.files)%filesPerReport == 0 {
			if err := t.progress(ctx, "files"); err != nil {
				return err
			}
		}
		return t.writeFile(ctx, f, a)
	})
	if err == nil {
		err = a.finish(ctx)
	}
	return errors.Join(err, a.close())
}

// leftOut counts a file that is not imported, and returns the size of the others in the archive.
func (t *task) leftOut(f *importing.File) (size int64, left bool) {
	if f.Key == "" || t.files[f.Key] {
		t.report.Count(importing.Files, importing.Skipped, "is listed twice", f.Name)
		return 0, true
	}
	t.files[f.Key] = true
	size, _ = t.Archive.Size(f.Path)
	switch {
	case t.Files == nil:
		t.report.Count(importing.Files, importing.Skipped, "this server stores no files: the module uploads is off", f.Name)
	case t.MaxFile > 0 && size > t.MaxFile:
		t.report.Count(importing.Files, importing.Skipped, importing.TooLarge, f.Path)
	default:
		return size, false
	}
	return 0, true
}

// writeFile stores a file, unless it is known. One that is downloaded is stored later.
func (t *task) writeFile(ctx context.Context, f *importing.File, a *ahead) error {
	known, err := t.Store.Known(ctx, t.realm, filesKind, []importing.Key{f.Key})
	if err != nil {
		return err
	}
	if len(known) > 0 {
		t.report.Passed(importing.Files, f.Loss)
		return nil
	}
	if importing.Remote(f) {
		return a.add(ctx, f)
	}
	content, err := t.source.Open(ctx, f)
	return t.storeFile(ctx, f, content, err)
}

// storeFile stores a file that was opened. A missing one is counted.
func (t *task) storeFile(ctx context.Context, f *importing.File, content io.ReadCloser, err error) error {
	if reason := lacking(f, err); reason != "" {
		t.report.Count(importing.Files, importing.Refused, reason, f.Path)
		return nil
	}
	if err != nil {
		return err
	}
	owner, ok := t.id(usersTable, t.person(f.Owner))
	if !ok {
		if owner, err = t.anyOwner(ctx); err != nil {
			return errors.Join(err, content.Close())
		}
	}
	created := f.Created
	if created.IsZero() {
		created = time.Unix(0, 0).UTC()
	}
	err = t.Files.Import(ctx, t.realm, user.ID(owner), f.Name, f.Type, created, content,
		func(ctx context.Context, path string) error {
			return t.Store.Add(ctx, store.Key{Realm: t.realm, Kind: filesKind, Key: f.Key, Path: path})
		})
	if err := errors.Join(err, content.Close()); err != nil {
		return err
	}
	t.report.Passed(importing.Files, f.Loss)
	return nil
}

// lacking returns the reason why a file has no content, or "" if it has some or the import must end.
func lacking(f *importing.File, err error) string {
	var failed *importing.DownloadError
	switch {
	case importing.IsUnusable(err):
		return ""
	case errors.As(err, &failed):
		return failed.Reason
	case errors.Is(err, fs.ErrNotExist) && importing.Remote(f):
		return "does not exist any more where it would be downloaded"
	case errors.Is(err, fs.ErrNotExist):
		return "is missing in the archive"
	}
	return ""
}

// anyOwner returns an owner of the organization, to whom files without an owner belong.
func (t *task) anyOwner(ctx context.Context) (int64, error) {
	v, err := t.Directory.View(ctx, t.realm)
	if err != nil {
		return 0, err
	}
	for u := range v.Users() {
		if u.Active && u.Role == user.Owner && !u.IsBot() {
			return int64(u.ID), nil
		}
	}
	return 0, errors.New("the organization has no owner")
}
