package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

type backups struct {
	Create backupCreate `cmd:"" default:"withargs" help:"Back up database, files and secret while the server runs."`
	Verify backupVerify `cmd:"" help:"Verify that a backup is complete and undamaged."`
}

type backupCreate struct {
	Target   string   `arg:"" optional:"" placeholder:"TARGET" help:"Folder, FILE.tar, s3://bucket/prefix, or - for standard output. Without one: backup.target of the configuration."`
	Keep     string   `placeholder:"7d,4w,12m" help:"Then delete older backups, except the newest of each of the latest days, weeks and months."`
	Age      []string `placeholder:"RECIPIENT" help:"Encrypt for a public key of age (age1...). May be repeated."`
	NoSecret bool     `help:"Leave out the server's secret."`
	Copy     bool     `help:"Copy a SQLite server to an empty folder that can be served as it is."`
	JSON     bool     `name:"json" help:"Print the result as JSON."`
}

// Help returns the long text of --help.
func (backupCreate) Help() string {
	return `Backs up a SQLite or PostgreSQL database, the files on disk or in S3, and the secret. The database is a
consistent snapshot, and nothing waits for it. A folder or bucket can hold many backups; each stores only
the files that the others lack. stoa backup verify verifies one, and stoa restore restores it into either kind
of database.

S3 uses the settings of backup.s3 in the configuration, or else those of adapters.blob.

With --copy, the target is a folder that runs at once: stoa serve --data-dir DIR. Files in S3 and a secret
in the configuration are then not copied.`
}

// Run makes a backup.
func (c *backupCreate) Run(e *env) error {
	if c.Copy {
		if c.Target == "" || c.Target == "-" {
			return codedError{errors.New("--copy needs a folder as TARGET"), usage}
		}
		return e.copyTo(c.Target)
	}
	defer e.cancelOnSignal()()
	s, err := e.existing()
	if err != nil {
		return err
	}
	defer e.end(s)
	set := s.Config.Settings.Backup
	if c.Target == "" {
		c.Target = set.Target
		if c.Keep == "" {
			c.Keep = set.Keep
		}
		if len(c.Age) == 0 {
			c.Age = set.Age
		}
	}
	if c.Target == "" {
		return codedError{errors.New("name a TARGET, or set backup.target in the configuration"), usage}
	}
	var keep *backup.Keep
	if c.Keep != "" {
		k, err := backup.ParseKeep(c.Keep)
		if err != nil {
			return codedError{errors.New("--keep: " + err.Error()), usage}
		}
		keep = &k
	}
	p, err := e.writable(s, c.Target, keep != nil)
	if err != nil {
		return err
	}
	defer p.close()
	source, err := s.BackupSource()
	if err != nil {
		return err
	}
	source.NoSecret = c.NoSecret
	progress := &progress{env: e, clock: s.Ports.Clock, quiet: c.JSON || c.Target == "-"}
	source.Progress = progress.print
	written, err := backup.Write(e.ctx, source, backup.To{Place: p.blobs, Recipients: c.Age})
	if err == nil {
		err = p.complete()
	}
	if err != nil {
		return e.backupError(err)
	}
	if err := s.RecordBackup(e.ctx, c.Target, written); err != nil {
		e.printNote("The backup is not in the audit log: %v", err) // such as that of a database that is to be migrated
	}
	var pruned *backup.Pruned
	if keep != nil {
		if pruned, err = backup.Prune(e.ctx, *keep, p.blobs, s.Ports.Clock.Now()); err != nil {
			return e.backupError(err)
		}
	}
	if c.Target == "-" {
		return nil
	}
	return e.report(c, written, pruned)
}

// report prints the result of a backup.
func (e *env) report(c *backupCreate, w *backup.Written, pruned *backup.Pruned) error {
	m := w.Manifest
	if m.Files.Missing > 0 {
		e.printNote("%d files named in the database do not exist; see %s", m.Files.Missing, e.command("blobs check"))
	}
	if c.JSON {
		return e.printJSON(map[string]any{
			"set": w.Set, "target": c.Target, "tables": len(m.Tables), "files": m.Files.Count, "missing": m.Files.Missing,
			"bytes": m.Bytes() + m.Files.Bytes, "new_bytes": w.NewBytes, "seconds": m.Ended.Sub(m.Began).Seconds(),
			"pruned": pruned,
		})
	}
	e.printf("The backup %s is complete: %d files, %s, of which %s are new.\n", w.Set, m.Files.Count,
		bytesText(m.Bytes()+m.Files.Bytes), bytesText(w.NewBytes))
	if pruned != nil && len(pruned.Sets) > 0 {
		e.printf("Deleted %d older backups and %d files.\n", len(pruned.Sets), pruned.Files)
	}
	e.printf("To verify it: %s\n", e.command("backup verify "+shellWord(c.Target)))
	return nil
}

type backupVerify struct {
	Target   string `arg:"" optional:"" placeholder:"TARGET" help:"Folder, FILE.tar, s3://bucket/prefix, or - for standard input. Without one: backup.target of the configuration."`
	At       string `placeholder:"SET" help:"Name of the backup. Without one: the newest."`
	Identity string `placeholder:"FILE" help:"File with the private key of age, for an encrypted backup."`
	Deep     bool   `help:"Also restore it into a temporary database, compare the rows, and run the checks of stoa doctor there."`
	JSON     bool   `name:"json" help:"Print the result as JSON."`
}

// Help returns the long text of --help.
func (backupVerify) Help() string {
	return `Reads the whole backup and checks every hash, the number and content of all rows, that no log has a gap,
and that every file is there. Without its key, only the hashes of an encrypted backup are checked. Exits with 1
if there is a problem.

With --deep, it then restores the backup, without the files, into a SQLite database in a temporary folder (TMPDIR),
compares the rows, migrates them to this version, and runs the checks of stoa doctor. It needs no server, touches
none, and deletes the folder at the end.`
}

// Run verifies a backup.
func (c *backupVerify) Run(e *env) error {
	defer e.cancelOnSignal()()
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	from, done, err := e.readable(s, c.Target, c.At, c.Identity)
	if err != nil {
		return err
	}
	defer done()
	if c.Deep && len(from.Identities) == 0 {
		m, err := backup.Read(e.ctx, from.Place, from.Set)
		if err != nil {
			return e.backupError(err)
		}
		if len(m.Age) > 0 {
			return codedError{errors.New("--deep: " + backup.ErrNoIdentity.Error()), usage}
		}
	}
	progress := &progress{env: e, clock: s.Ports.Clock, quiet: c.JSON}
	from.Progress = progress.print
	v, err := backup.Verify(e.ctx, from)
	intact := err == nil && len(v.Problems) == 0
	if c.Deep && intact {
		intact, err = e.rehearse(from, v)
	}
	if err != nil {
		return e.backupError(err)
	}
	if c.JSON {
		err = e.printJSON(map[string]any{
			"set": from.Set, "version": v.Manifest.Version, "rows": v.Rows, "files": v.Files, "problems": v.Problems,
			"sealed": v.Sealed, "deep": c.Deep,
		})
		if err != nil {
			return err
		}
	} else {
		for _, p := range v.Problems {
			e.printf("%s\n", p)
		}
	}
	switch {
	case len(v.Problems) > 0 && intact:
		return fmt.Errorf("the backup %s is what was written, but of a damaged server; repair that with %s, and make "+
			"another backup", from.Set, e.command("doctor --fix"))
	case len(v.Problems) > 0:
		return errors.New("the backup " + from.Set + " is damaged; restore another one")
	case c.JSON:
	case v.Sealed:
		e.printf("All hashes of %s are right. To verify its content as well, name the key with --identity.\n", from.Set)
	case c.Deep:
		e.printf("The backup %s is complete and undamaged, and can be restored: %d rows, %d files.\n", from.Set, v.Rows,
			v.Files)
	default:
		e.printf("The backup %s is complete and undamaged: %d rows, %d files.\n", from.Set, v.Rows, v.Files)
	}
	return nil
}

// existing returns a server of which the database exists. It starts nothing.
func (e *env) existing() (*server.Server, error) {
	o := e.options(e.sources())
	o.Existing = true
	s, err := server.New(e.ctx, o, e.Modules...)
	if errors.Is(err, server.ErrNoDatabase) {
		return nil, e.noOrganization()
	}
	return s, err
}

// backupError adds the exit code to an error.
func (e *env) backupError(err error) error {
	var newer *backup.NewerError
	var no *backup.RefusedError
	var damage *backup.DamagedError
	var denied *blob.RefusedError
	switch {
	case errors.As(err, &newer), errors.As(err, &no):
		return codedError{err, refused}
	case errors.Is(err, backup.ErrNone):
		return codedError{err, absent}
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	case errors.As(err, &damage):
		return fmt.Errorf("%w; copy the backup again, or name another one with --at", err)
	case bunstore.Full(err):
		return fmt.Errorf("%w; free space there, and run the command again", reason(err))
	case errors.As(err, &denied):
		return codedError{fmt.Errorf("%w; that key is backup.s3.access_key or, if it is empty, adapters.blob.access_key",
			err), unavailable}
	case errs.Is(err, errs.Unavailable):
		return codedError{reason(err), unavailable}
	}
	return err
}

// progress prints a line for every ten percent of something, at most one per second, and the last one.
type progress struct {
	*env
	clock   ports.Clock
	printed time.Time
	quiet   bool
	what    string
	percent int
}

func (p *progress) print(what string, done, all int) {
	if what != p.what {
		p.what, p.percent = what, -1
	}
	percent := 10 * (10 * done / max(1, all))
	now := p.clock.Now()
	if p.quiet || percent == p.percent || percent < 100 && now.Sub(p.printed) < time.Second {
		return
	}
	p.percent, p.printed = percent, now
	p.printf("%s: %d %%\n", what, percent)
}

// cancelOnSignal makes a signal end the command's context, so that the command can clean up. A second one kills it.
func (e *env) cancelOnSignal() (stop func()) {
	if e.Notify == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(e.ctx)
	e.ctx = ctx
	signals := make(chan os.Signal, 2)
	e.Notify(signals)
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
			return
		}
		<-signals
		os.Exit(forced)
	}()
	return cancel
}

// isArchive reports whether a target is a file of the type tar.
func isArchive(target string) bool { return strings.HasSuffix(target, ".tar") }
