package pushrelay

import (
	"context"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// removalDelay is the time between the removal of a server and the deletion of its data. Calls in progress have ended
// by then.
const removalDelay = time.Hour

// purge is the job that deletes tokens unused for Config.Unused, the data of removed servers, and keys replaced more
// than Config.OldKeys ago.
func (s *service) purge(ctx context.Context) error {
	now := s.Clock.Now()
	err := s.deleteInBlocks(ctx, func(ctx context.Context) (int64, error) {
		return s.store.ForgetUnused(ctx, now.Add(-s.cfg.Unused))
	})
	if err != nil {
		return err
	}
	for {
		id, err := s.store.RemovedServer(ctx, now.Add(-removalDelay))
		if err != nil {
			return err
		}
		if id == "" {
			break
		}
		err = s.deleteInBlocks(ctx, func(ctx context.Context) (int64, error) { return s.store.ForgetTokensOf(ctx, id) })
		if err != nil {
			return err
		}
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.store.ForgetServer(ctx, id) }); err != nil {
			return err
		}
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.ForgetKeys(ctx, now.Add(-s.cfg.OldKeys)) })
}

// deleteInBlocks calls deleteBlock in separate transactions until it deletes less than a full block of rows.
func (s *service) deleteInBlocks(ctx context.Context, deleteBlock func(context.Context) (int64, error)) error {
	for {
		n, err := kit.Tx(ctx, s.Work, deleteBlock)
		if err != nil || n < block {
			return err
		}
	}
}
