package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/server"
)

type restore struct {
	Source        string `arg:"" optional:"" placeholder:"SOURCE" help:"Folder, FILE.tar, s3://bucket/prefix, or - for standard input. Without one: backup.target of the configuration."`
	At            string `placeholder:"SET" help:"Name of the backup. Without one: the newest."`
	Identity      string `placeholder:"FILE" help:"File with the private key of age, for an encrypted backup."`
	RevokeAll     bool   `help:"End all sessions and revoke all API keys. Otherwise those that were ended or revoked after the backup are valid again. On a terminal, the command asks."`
	KeepOutgoing  bool   `help:"Keep emails, notifications and bot calls that were waiting to be sent. Otherwise they are dropped, since they may have been sent."`
	KeepFiles     bool   `help:"Keep the files in the file store and the data directory, and add what is missing."`
	IgnoreModules bool   `help:"Leave out the tables of modules that this server does not run."`
	JSON          bool   `name:"json" help:"Print the result as JSON."`
}

// Help returns the long text of --help.
func (restore) Help() string {
	return `Restores a backup into the database, file store and data directory of the configuration, which must be empty.
SQLite and PostgreSQL can be exchanged: the backup of one can be restored into the other. A backup of an older
version is migrated.

Until everything is there, the database is marked as incomplete, and no server starts with it. After an
interruption, run the command again.

All clients have to load their data again. Scheduled messages that were due since the backup are marked as failed.`
}

// Run restores a backup.
func (c *restore) Run(e *env) error {
	defer e.cancelOnSignal()()
	o := e.options(e.sources())
	o.Restoring = true
	s, err := server.New(e.ctx, o, e.Modules...)
	if err != nil {
		if strings.Contains(err.Error(), "is in use by a server") {
			err = codedError{fmt.Errorf("%w; or another restore is running", err), refused}
		}
		return err
	}
	defer e.end(s)
	from, closeSource, err := e.readable(s, c.Source, c.At, c.Identity)
	if err != nil {
		return err
	}
	defer closeSource()
	if t, ok := e.terminal(); ok && !c.RevokeAll && !c.JSON {
		c.RevokeAll, err = t.agrees("Sessions and API keys that were ended or revoked after the backup will be valid " +
			"again.\nEnd all sessions and revoke all API keys, so that everybody has to log in again?")
		if err != nil {
			return err
		}
	}
	progress := &progress{env: e, clock: s.Ports.Clock, quiet: c.JSON}
	from.Progress = progress.print
	to := s.RestoreTarget()
	to.Source = config.Masked(cmp.Or(c.Source, s.Config.Settings.Backup.Target)) + " " + from.Set
	to.RevokeAll, to.KeepOutgoing, to.KeepFiles, to.IgnoreModules = c.RevokeAll, c.KeepOutgoing, c.KeepFiles,
		c.IgnoreModules
	r, err := backup.Restore(e.ctx, from, to)
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; the database is incomplete: run the command again")
	}
	if file := s.DB().File(); bunstore.Full(err) && file != "" {
		err = fmt.Errorf("restore into %s: %w", file, err)
	}
	if err != nil {
		return e.backupError(err)
	}
	if c.JSON {
		return e.printJSON(r)
	}
	e.printf("Restored %s, written by version %s: %d rows, %d files.\n", r.Set, r.Version, r.Rows, r.Files)
	if len(r.Ignored) > 0 {
		e.printf("Not restored: the tables of the modules %s.\n", strings.Join(r.Ignored, ", "))
	}
	if r.NoSecret {
		e.printf("The backup contains no secret. Put the former server's into STOA_SECRET or %s: without it, stored bot "+
			"keys are unreadable and pending links stop working.\n", filepath.Join(s.Config.Settings.DataDir, "secret"))
	}
	if !c.RevokeAll {
		e.printf("Sessions and API keys that were ended or revoked after the backup are valid again. If that is dangerous, " +
			"restore with --revoke-all.\n")
	}
	e.printf("To run it: %s\n", e.command("serve"+e.flagsInUse()))
	return nil
}
