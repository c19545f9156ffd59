package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/app/internal/doctor"
	"github.com/stoachat/stoa/app/internal/server"
)

// rehearse restores a verified backup into a temporary SQLite database, and adds what is wrong with that to v. It
// reports whether the backup can be restored at all.
func (e *env) rehearse(from backup.From, v *backup.Verified) (restored bool, err error) {
	files, err := backup.Listing(e.ctx, from)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "stoa-verify-*")
	if err != nil {
		return false, fmt.Errorf("create a folder for the database: %w; TMPDIR can name another one", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o := e.options(e.sources())
	o.Restoring, o.Log = true, slog.New(slog.DiscardHandler)
	o.Set["data_dir"], o.Set["database.url"] = dir, "sqlite:"+filepath.Join(dir, "stoa.db")
	o.Set["secret"] = "" // that of the backup
	s, err := server.New(e.ctx, o, e.Modules...)
	if err != nil {
		return false, err
	}
	defer e.end(s)
	to := s.RestoreTarget()
	to.Blobs, to.Source, to.IgnoreModules, to.KeepOutgoing, to.Compare = nil, from.Set, true, true, true
	r, err := backup.Restore(e.ctx, from, to)
	var newer *backup.NewerError
	switch {
	case bunstore.Full(err):
		return false, fmt.Errorf("restore into %s: %w; TMPDIR can name another folder", dir, err)
	case errors.As(err, &newer), e.ctx.Err() != nil:
		return false, err
	case err != nil:
		v.Problems = append(v.Problems, "it cannot be restored: "+err.Error())
		return false, nil
	}
	if len(r.Ignored) > 0 {
		e.printNote("Not checked: the tables of the modules %s, which this server does not run",
			strings.Join(r.Ignored, ", "))
	}
	return true, s.ExamineRestored(e.ctx, files, !r.NoSecret, func(d doctor.Result) {
		if d.Status == doctor.Fail {
			v.Problems = append(v.Problems, "the restored database fails "+d.Check+": "+strings.Join(d.Found, "; "))
		}
	})
}
