package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Target is the server into which a backup is restored.
type Target struct {
	DB         *bunstore.DB
	Blobs      ports.Blobs // nil: files are not restored
	Migrations []bunstore.Migrations
	Tables     []kit.Table
	Clock      ports.Clock
	DataDir    string
	Secret     string // the configured one; "": in the data directory
	// Finish migrates the database to this version, and adapts it to the past time of which it is now a copy.
	Finish func(ctx context.Context, m *Manifest, source string) error

	RevokeAll     bool // delete all sessions and API keys
	KeepOutgoing  bool // keep what was waiting to be sent to other systems
	KeepFiles     bool // the file store may contain files
	IgnoreModules bool // ignore the tables of modules that the server does not have
	Compare       bool // compare the rows that were written with those of the backup
	Source        string
}

// Restored describes a restored backup.
type Restored struct {
	Set     string `json:"set"`
	Version string `json:"version"` // that wrote the backup
	Rows    int64  `json:"rows"`
	Files   int    `json:"files"`
	// Ignored are the modules whose tables were not restored.
	Ignored []string `json:"ignored,omitempty"`
	// NoSecret is set if the backup lacks the secret, and the server has none.
	NoSecret bool `json:"no_secret,omitempty"`
}

// RefusedError reports that a backup cannot be restored into this server.
type RefusedError struct{ text string }

func (e *RefusedError) Error() string { return e.text }

func refused(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// Restore restores a set into an empty server. All parts but the files are verified before any row is written. Until
// everything is there, the database is marked as incomplete, and no server starts with it; after an error or an
// interruption, Restore begins anew. Errors: *RefusedError, *NewerError.
func Restore(ctx context.Context, from From, to Target) (*Restored, error) {
	m, err := Read(ctx, from.Place, from.Set)
	if err != nil {
		return nil, err
	}
	r := &restorer{From: from, to: to, m: m, open: opening{from.Identities, m.Age}, parts: map[string]*spool{}}
	r.Restored.Set, r.Version = from.Set, m.Version
	defer r.close()
	if err := r.check(); err != nil {
		return nil, err
	}
	release, err := to.DB.LockRestore(ctx)
	if err != nil {
		return nil, err
	}
	if release == nil {
		return nil, refused("another restore into this database is running; wait until it has ended")
	}
	defer release()
	if err := r.vacant(ctx); err != nil {
		return nil, err
	}
	if err := r.open.checkKey(ctx, from, m); err != nil {
		return nil, err
	}
	began := to.Clock.Now().UTC().Format("2006-01-02 15:04:05 UTC")
	if err := to.DB.BeginRestore(ctx, to.Source, began); err != nil {
		return nil, err
	}
	if err := r.fetch(ctx); err != nil {
		return nil, err
	}
	if err := r.write(ctx); err != nil {
		return nil, err
	}
	return &r.Restored, nil
}

type restorer struct {
	From
	Restored
	to    Target
	m     *Manifest
	open  opening
	parts map[string]*spool // by name, verified
}

func (r *restorer) close() {
	for _, s := range r.parts {
		_ = s.Close() // it has been read
	}
}

// check compares the migrations of the backup with those of this program.
func (r *restorer) check() error {
	if len(r.m.Age) > 0 && len(r.Identities) == 0 {
		return ErrNoIdentity
	}
	_, lacking, err := bunstore.Compare(r.to.Migrations, r.m.Migrations)
	if err != nil {
		return err
	}
	for _, a := range lacking {
		if slices.ContainsFunc(r.to.Migrations, func(m bunstore.Migrations) bool { return m.Module == a.Module }) {
			return &NewerError{r.m.Version, "step " + a.Name + " of module " + a.Module}
		}
		if !slices.Contains(r.Ignored, a.Module) {
			r.Ignored = append(r.Ignored, a.Module)
		}
	}
	if len(r.Ignored) > 0 && !r.to.IgnoreModules {
		return refused("the backup contains tables of modules that this server does not run: %s; add them to modules: in "+
			"the configuration, or leave their tables out with --ignore-modules", strings.Join(r.Ignored, ", "))
	}
	return nil
}

// vacant checks that nothing would be overwritten. What an interrupted restore has left may be.
func (r *restorer) vacant(ctx context.Context) error {
	var unfinished *bunstore.UnfinishedRestoreError
	err := r.to.DB.CheckRestored(ctx)
	if errors.As(err, &unfinished) {
		return nil
	}
	if err != nil {
		return err
	}
	tables, err := r.to.DB.Schema(ctx)
	if err != nil {
		return err
	}
	if len(tables) > 0 {
		return refused("the database is not empty; name another one with --data-dir or --database-url")
	}
	if r.to.Blobs != nil && !r.to.KeepFiles {
		for e, err := range r.to.Blobs.Keys(ctx, "", "") {
			if err != nil {
				return fmt.Errorf("the file store: %w", reason(err))
			}
			return refused("the file store already contains files, such as %s; name another one in adapters.blob, or add the "+
				"missing files to it with --keep-files", e.Key)
		}
	}
	return r.checkSecret()
}

// checkSecret checks that the server has no other secret. Without a key, it does not read that of the backup.
func (r *restorer) checkSecret() error {
	if r.m.Secret == nil || r.to.Secret != "" {
		return nil
	}
	if _, err := os.Stat(r.secretFile()); err == nil && !r.to.KeepFiles {
		return refused("%s exists already; move it away, or name another folder with --data-dir", r.secretFile())
	}
	return nil
}

func (r *restorer) secretFile() string { return filepath.Join(r.to.DataDir, "secret") }

// fetch reads and verifies all parts.
func (r *restorer) fetch(ctx context.Context) error {
	all := r.m.parts()
	for i, p := range all {
		r.Progress("reading", i, len(all))
		s, err := fetch(ctx, r.Place, setsPrefix+r.From.Set+"/"+p.Name, p.Size, p.SHA256)
		if err != nil {
			return err
		}
		r.parts[p.Name] = s
	}
	r.Progress("reading", 1, 1)
	return nil
}

func (r *restorer) write(ctx context.Context) error {
	db := r.to.DB
	if err := db.MigrateTo(ctx, r.to.Migrations, r.m.Migrations); err != nil {
		return err
	}
	there, err := db.Relations(ctx)
	if err != nil {
		return err
	}
	for i, t := range r.m.Tables {
		r.Progress("database", i, len(r.m.Tables))
		n := slices.IndexFunc(there, func(x bunstore.Relation) bool { return x.Name == t.Name })
		if n < 0 && len(r.Ignored) > 0 {
			continue
		}
		if n < 0 || !slices.Equal(there[n].Columns, t.Columns) {
			return fmt.Errorf("the table %s of the backup has other columns than that of this version", t.Name)
		}
		if err := r.table(ctx, t); err != nil {
			return err
		}
	}
	r.Progress("database", 1, 1)
	if r.to.Compare {
		if err := r.compare(ctx); err != nil {
			return err
		}
	}
	if err := r.drop(ctx); err != nil {
		return err
	}
	if err := r.files(ctx); err != nil {
		return err
	}
	if err := r.secret(); err != nil {
		return err
	}
	if err := r.to.Finish(ctx, r.m, r.to.Source); err != nil {
		return err
	}
	return db.EndRestore(ctx)
}

func (r *restorer) table(ctx context.Context, t Table) error {
	if t.Rows == 0 {
		if err := r.to.DB.Empty(ctx, t.Name); err != nil {
			return err
		}
		return r.lastID(ctx, t)
	}
	content, err := r.open.reader(r.parts[t.Part.Name], len(r.m.Age) > 0, true)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	rows := newRowReader(t, content)
	n, err := r.to.DB.Load(ctx, t.Relation, t.Rows > manyRows, func() (bunstore.Row, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return rows.next()
	})
	if err != nil {
		return err
	}
	r.Rows += n
	return r.lastID(ctx, t)
}

// manyRows is the number of rows beyond which indexes are built at the end.
const manyRows = 10_000

func (r *restorer) lastID(ctx context.Context, t Table) error {
	if t.LastID == 0 {
		return nil
	}
	return r.to.DB.SetLastID(ctx, t.Name, t.LastID)
}

// compare reads the tables that were written, and compares their rows and next IDs with those in the manifest.
func (r *restorer) compare(ctx context.Context) error {
	d, err := r.to.DB.Dump(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	last, err := d.LastIDs(ctx)
	if err != nil {
		return err
	}
	relations, err := d.Relations(ctx)
	if err != nil {
		return err
	}
	for i, want := range r.m.Tables {
		r.Progress("comparing", i, len(r.m.Tables))
		n := slices.IndexFunc(relations, func(x bunstore.Relation) bool { return x.Name == want.Name })
		if n < 0 {
			continue // of a module that is ignored
		}
		got := Table{Relation: relations[n], LastID: last[want.Name]}
		if err := got.read(ctx, d, newChecker(got.Relation), io.Discard); err != nil {
			return err
		}
		if got.Rows != want.Rows || got.Content != want.Content || got.LastID < want.LastID {
			return damaged("the rows of the table %s are not those of the backup when it is restored", want.Name)
		}
	}
	r.Progress("comparing", 1, 1)
	return nil
}

// drop deletes rows that are meaningless or harmful in a copy of the past.
func (r *restorer) drop(ctx context.Context) error {
	for _, t := range r.to.Tables {
		if t.Restored == kit.Dropped || t.Restored == kit.Outgoing && !r.to.KeepOutgoing ||
			t.Restored == kit.Credential && r.to.RevokeAll {
			if err := r.to.DB.Empty(ctx, t.Name); err != nil {
				return fmt.Errorf("empty the table %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

// files copies the files that the store lacks.
func (r *restorer) files(ctx context.Context) error {
	if r.to.Blobs == nil {
		return nil
	}
	for f, err := range r.open.listed(ctx, r.Place, r.From.Set, r.m) {
		if err != nil {
			return err
		}
		r.Progress("files", r.Files, r.m.Files.Count)
		if err := r.file(ctx, f); err != nil {
			return err
		}
		r.Files++
	}
	r.Progress("files", 1, 1)
	return nil
}

func (r *restorer) file(ctx context.Context, f file) error {
	body, info, err := r.to.Blobs.Open(ctx, f.Key, 0, 0)
	if err == nil && info.Size == f.Size {
		return body.Close()
	}
	if err == nil {
		err = body.Close()
	}
	if err != nil && !errs.Is(err, errs.NotFound) {
		return fmt.Errorf("restore the file %s: %w", f.Key, reason(err))
	}
	sum, err := sumOf(f.Blob)
	if err != nil {
		return err
	}
	s, err := fetch(ctx, r.Place, f.Blob, -1, sum)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	content, err := r.open.reader(s, len(r.m.Age) > 0, false)
	if err != nil {
		return err
	}
	var stored blob.Info
	stored, err = r.to.Blobs.Put(ctx, f.Key, content, f.Size)
	if err = errors.Join(err, content.Close()); err == nil && stored.Size != f.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("restore the file %s: %w", f.Key, reason(err))
	}
	return nil
}

// secret writes the secret to the data directory, unless the server has one in its configuration.
func (r *restorer) secret() error {
	p := r.m.Secret
	if p == nil || r.to.Secret != "" {
		_, err := os.Stat(r.secretFile())
		r.NoSecret = r.m.NoSecret && r.to.Secret == "" && errors.Is(err, fs.ErrNotExist)
		return nil
	}
	content, err := r.open.reader(r.parts[p.Name], len(r.m.Age) > 0, false)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(content)
	if err = errors.Join(err, content.Close()); err != nil {
		return err
	}
	if err = os.MkdirAll(r.to.DataDir, 0o700); err == nil {
		err = os.WriteFile(r.secretFile(), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("restore the secret: %w", err)
	}
	return nil
}
