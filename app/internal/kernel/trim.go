package kernel

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	trimBlock  = 5000
	trimBlocks = 20 // maximum number per realm and run
	trimRecent = 10 * time.Minute
)

// Jobs returns the kernel's periodic jobs.
func (k *Kernel) Jobs() []kit.Job {
	return []kit.Job{
		{Name: "kernel.trim", Deletes: true, Every: time.Minute, Timeout: 5 * time.Minute, Run: k.trim},
		{
			Name:    "kernel.timeline",
			Every:   10 * time.Minute,
			Timeout: time.Minute,
			Run:     k.checkTimelines,
		}, // for realms created after the start
	}
}

// trim deletes entries that are older than Keep or exceed KeepRows. If the realm's log has consumers (log_consumers),
// it also deletes entries that are more than ten minutes old and that all consumers have processed. It never deletes
// the newest entry, which is the head.
func (k *Kernel) trim(ctx context.Context) error {
	rs, err := k.store.realms(ctx)
	if err != nil {
		return err
	}
	for _, r := range rs {
		for range trimBlocks {
			more, err := k.trimOnce(ctx, r)
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
	return nil
}

func (k *Kernel) trimOnce(ctx context.Context, r realm.ID) (more bool, err error) {
	hs, err := k.store.heads(ctx, []realm.ID{r})
	if err != nil {
		return false, err
	}
	old, err := k.store.oldest(ctx, r, trimBlock)
	if err != nil {
		return false, err
	}
	passed, any, err := k.store.consumed(ctx, r)
	if err != nil {
		return false, err
	}
	now, cut := k.o.Clock.Now(), event.Seq(0)
	for _, e := range old {
		age := now.Sub(e.At)
		due := age > k.o.Keep || int64(hs[0].Seq-e.Seq) >= k.o.KeepRows
		done := any && e.Seq <= passed && age > trimRecent
		if e.Seq >= hs[0].Seq || !due && !done {
			break
		}
		cut = e.Seq
	}
	if cut == 0 {
		return false, nil
	}
	if any && passed < cut {
		k.log.Error("a consumer of the realm log has lost entries", "realm", r, "consumed", passed, "trimmed", cut)
	}
	err = k.Do(ctx, func(ctx context.Context) error { return k.store.trim(ctx, r, cut) })
	return err == nil && cut == old[len(old)-1].Seq && len(old) == trimBlock, err
}
