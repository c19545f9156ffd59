package kernel

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
)

// Epoch returns how many times a realm's log was set back by restoring the database. Log positions of another epoch are
// meaningless. Like View, Epoch reads memory, and its result is as recent. Errors: NotFound, Unavailable.
func (k *Kernel) Epoch(ctx context.Context, r realm.ID) (int64, error) {
	if _, err := k.View(ctx, r); err != nil {
		return 0, err
	}
	m, err := k.model(ctx, r)
	if err != nil {
		return 0, err
	}
	return m.epoch, nil
}

// newEpoch starts the epoch after old, unless another node has already done so.
func (k *Kernel) newEpoch(ctx context.Context, r realm.ID, old int64) error {
	t, _, err := k.db.Begin(ctx, bunstore.Changing, k.db.LockSQL(bunstore.RealmLock, int64(r)))
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := k.store.setEpoch(k.db.With(ctx, t), r, old); err != nil {
		return err
	}
	return t.Commit(ctx)
}

// checkTimelines compares the database's timeline with the one that each log was written on, and starts a new epoch for
// each log with a different one.
func (k *Kernel) checkTimelines(ctx context.Context) error {
	now, err := k.db.Timeline(ctx)
	if err != nil || now == "" {
		return err
	}
	rs, err := k.store.realms(ctx)
	if err != nil || len(rs) == 0 {
		return err
	}
	hs, err := k.store.heads(ctx, rs)
	if err != nil {
		return err
	}
	for _, h := range hs {
		if h.Timeline == now {
			continue
		}
		if h.Timeline != "" {
			if err := k.newEpoch(ctx, h.Realm, h.Epoch); err != nil {
				return err
			}
		}
		if err := k.Do(ctx, func(ctx context.Context) error { return k.store.setTimeline(ctx, h.Realm, now) }); err != nil {
			return err
		}
	}
	return nil
}

// NewEpochs starts a new epoch for every log of a restored database. Its number is also higher than that of an earlier
// restore of the same backup. Call it inside Do.
func (k *Kernel) NewEpochs(ctx context.Context) error {
	rs, err := k.store.realms(ctx)
	if err != nil {
		return err
	}
	for _, r := range rs {
		if err := k.store.restored(ctx, r, k.o.Clock.Now().Unix()); err != nil {
			return err
		}
	}
	return nil
}

// Reset starts a new epoch of a realm's log, so that all nodes load the realm's view again. Call it inside Do.
func (k *Kernel) Reset(ctx context.Context, r realm.ID) error { return k.store.restored(ctx, r, 1) }
