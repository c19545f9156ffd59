package kernel

import (
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/realm"
)

// follow applies other nodes' entries to the views of active realms: as soon as a notice arrives, and by polling the
// heads of all logs, in case that a notice was lost. It also drops unused realms. Requests do not rely on it, since
// they verify a view whose lease has ended.
func (k *Kernel) follow() {
	poll := time.NewTimer(0)
	defer poll.Stop()
	failed := false
	for {
		var rs []realm.ID
		select {
		case <-k.ctx.Done():
			return
		case <-k.notes.heard.waiting:
			rs = slices.Collect(maps.Keys(k.notes.heard.take()))
		case <-k.notes.listened: // whatever was committed before listening began has not been heard
			poll.Reset(k.pollInterval())
			rs = k.activeRealms()
		case <-poll.C:
			poll.Reset(k.pollInterval())
			rs = k.activeRealms()
		}
		if len(rs) == 0 {
			continue
		}
		err := k.heads.verify(k.ctx, rs...)
		if k.ctx.Err() != nil {
			return
		}
		if k.ObserveDatabase(err) {
			continue
		}
		if err != nil && !failed {
			k.log.Warn("cannot follow the realm logs", "error", err)
		}
		failed = err != nil
	}
}

// pollInterval returns the time until the heads are polled again. Without notices, events of other nodes are as late as
// the poll. SQLite has no other nodes, only commands that change something.
func (k *Kernel) pollInterval() time.Duration {
	if k.bus != nil && !k.notes.listening.Load() {
		return k.o.PollMore
	}
	return k.o.Poll
}
