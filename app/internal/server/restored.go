package server

import (
	"context"
	"time"

	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/domain/backup"
)

// FinishRestore migrates a restored database to this version, and adapts it to being a copy of a past moment: the logs
// begin a new epoch, since numbers of entries will be used again, and modules hear of it.
func (s *Server) FinishRestore(ctx context.Context, taken time.Time) error {
	if err := s.db.Migrate(ctx, s.Migrations()); err != nil {
		return err
	}
	return s.kernel.Do(ctx, func(ctx context.Context) error {
		if err := nodes.Forget(ctx, s.db); err != nil {
			return err
		}
		if err := s.kernel.NewEpochs(ctx); err != nil {
			return err
		}
		return s.kernel.Run(ctx, &backup.Restored{Taken: taken, At: s.options.Clock.Now()})
	})
}
