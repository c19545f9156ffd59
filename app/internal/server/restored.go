package server

import (
	"context"
	"time"

	backups "github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/backup"
)

// FinishRestore migrates a restored database to this version, and adapts it to being a copy of a past moment: the logs
// begin a new epoch, since numbers of entries will be used again, and modules hear of it. source names the backup.
func (s *Server) FinishRestore(ctx context.Context, taken time.Time, source string) error {
	if err := s.db.Migrate(ctx, s.Migrations()); err != nil {
		return err
	}
	return s.kernel.Do(ctx, func(ctx context.Context) error {
		if err := nodes.Forget(ctx, s.db); err != nil {
			return err
		}
		if _, err := nodes.SetMaintenance(ctx, s.db, nil); err != nil {
			return err
		}
		if err := s.kernel.NewEpochs(ctx); err != nil {
			return err
		}
		if err := s.kernel.Run(ctx, &backup.Restored{Taken: taken, At: s.options.Clock.Now()}); err != nil {
			return err
		}
		return s.recordForAll(ctx, audit.BackupRestored, audit.Backup, audit.Values{"from": source, "taken": taken})
	})
}

// recordForAll records what was done to the whole server in the audit log of each organization.
func (s *Server) recordForAll(ctx context.Context, what audit.Action, on audit.Kind, values audit.Values) error {
	realms, err := s.Ports.Realms.All(ctx)
	if err != nil {
		return err
	}
	facts := make([]audit.Fact, len(realms))
	for i, r := range realms {
		facts[i] = audit.Fact{Realm: r, Action: what, Target: audit.Target{Kind: on}, New: values}
	}
	return s.kernel.Record(ctx, facts...)
}

// RecordBackup records in the audit logs that a backup was made.
func (s *Server) RecordBackup(ctx context.Context, target string, w *backups.Written) error {
	return s.recordForAll(ctx, audit.BackupTaken, audit.Backup, audit.Values{"to": config.Masked(target), "set": w.Set})
}
