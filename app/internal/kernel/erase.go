package kernel

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// Shorten deletes some of the oldest entries in a realm's log, but never the last one, which is the head. It returns
// whether more may be left. Call it inside Do.
func (k *Kernel) Shorten(ctx context.Context, r realm.ID) (bool, error) {
	old, err := k.store.oldest(ctx, r, trimBlock+1)
	if err != nil || len(old) < 2 {
		return false, err
	}
	last := len(old) - 2
	return len(old) > trimBlock, k.store.trim(ctx, r, old[last].Seq)
}

// Forget deletes the rest of an erased realm's log. Call it inside Do.
func (k *Kernel) Forget(ctx context.Context, r realm.ID) error { return k.store.forget(ctx, r) }

// checkExists returns an error if the realm no longer exists: its log is empty, and its view cannot be rebuilt.
func (k *Kernel) checkExists(ctx context.Context, m *model, h head) error {
	if h.Seq != event.Seq(0) {
		return nil
	}
	_, err := k.rebuild(ctx, m)
	return err
}
