package pushrelay

import (
	"context"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// settled is how long after its removal a server's data is deleted, so that calls in progress have ended.
const settled = time.Hour

// purge is the job that deletes obsolete data: tokens unused for a long time, the data of removed servers, and keys
// that open nothing any more.
func (s *service) purge(ctx context.Context) error {
	now := s.Clock.Now()
	err := s.inBlocks(ctx, func(ctx context.Context) (int64, error) {
		return s.store.ForgetUnused(ctx, now.Add(-s.cfg.Unused))
	})
	if err != nil {
		return err
	}
	for {
		id, err := s.store.RemovedServer(ctx, now.Add(-settled))
		if err != nil {
			return err
		}
		if id == "" {
			break
		}
		err = s.inBlocks(ctx, func(ctx context.Context) (int64, error) { return s.store.ForgetTokensOf(ctx, id) })
		if err != nil {
			return err
		}
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.store.ForgetServer(ctx, id) }); err != nil {
			return err
		}
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.ForgetKeys(ctx, now.Add(-s.cfg.OldKeys)) })
}

// inBlocks deletes one block per transaction until nothing is left.
func (s *service) inBlocks(ctx context.Context, some func(context.Context) (int64, error)) error {
	for {
		n, err := kit.Tx(ctx, s.Work, some)
		if err != nil || n < block {
			return err
		}
	}
}
