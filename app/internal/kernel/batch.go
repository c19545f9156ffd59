package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/ports"
)

const (
	batchTimeout = 10 * time.Second // for one attempt, once it has a connection
	batchWait    = time.Minute      // for a connection, and for all attempts together
)

// write commits a batch and reports the outcome of each intent. If the batch fails for a reason that no check has
// found, write bisects it until the failing intent is alone, so that the others still commit.
func (w *writer) write(list []*queuedIntent) {
	err := w.commitWithRetry(list)
	switch {
	case err == nil:
		for _, in := range list {
			in.done <- in.intent.Err
		}
	case len(list) == 1 || w.k.failsForAll(err):
		for _, in := range list {
			in.done <- w.k.ClientError(err)
		}
	default:
		w.k.log.Error("a batch failed; its parts are retried separately",
			"realm", w.realm, "changes", len(list), "error", err)
		w.write(list[:len(list)/2])
		w.write(list[len(list)/2:])
	}
}

// failsForAll reports whether every part of the batch would fail with the same error, so that bisecting is pointless.
func (k *Kernel) failsForAll(err error) bool {
	return k.db.Unavailable(err) || k.db.Retryable(err) || errors.Is(err, errStale) ||
		errors.Is(err, context.DeadlineExceeded) ||
		errs.Is(err, errs.NotFound)
}

// commitWithRetry commits a batch, and retries if the database's error permits.
func (w *writer) commitWithRetry(list []*queuedIntent) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.k.ctx), w.k.db.Timeout(batchWait))
	defer cancel()
	wait := 2 * time.Millisecond
	for n := 1; ; n++ {
		begun := w.k.m.now()
		after, err := w.commitOnce(ctx, list)
		w.k.m.attempted(begun, w.k, err)
		if err == nil {
			w.k.m.batchSize.Observe(float64(len(list)))
			for _, f := range after {
				f(w.k.ctx)
			}
			return nil
		}
		if errors.Is(err, errStale) {
			err = errors.Join(err, w.k.heads.verify(ctx, w.realm)) // possibly the first sign of a restored database
		}
		if n == attempts || !w.k.retryable(err) || !pause(ctx, wait) {
			return err
		}
		wait *= 2
	}
}

// commitOnce writes a batch in one transaction: it locks the log, gets the exact view, calls each kind's Write, writes
// the log, and commits.
func (w *writer) commitOnce(ctx context.Context, list []*queuedIntent) ([]func(context.Context), error) {
	k := w.k
	m, err := k.model(ctx, w.realm) // before the transaction: building a model needs its own connection
	if err != nil {
		return nil, err
	}
	conn, err := k.db.Reserve(ctx, bunstore.Batching)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, k.db.Timeout(batchTimeout))
	defer cancel()
	t, n, err := conn.Begin(ctx, k.db.LockSQL(bunstore.RealmLock, int64(w.realm)), headSQL(w.realm))
	if err != nil {
		return nil, err
	}
	defer t.Rollback()
	u, in := k.newUnit(ctx, batch, t)
	u.asked = list[0].asked // the one that has waited longest
	head := event.Seq(n)
	v, err := m.at(in, head)
	if errors.Is(err, errGap) {
		if m, err = k.rebuild(ctx, m); err == nil {
			v, err = m.at(in, head)
		}
	}
	if err != nil {
		return nil, err
	}
	u.views[w.realm], u.pinnedAt[w.realm] = v.AsOf(v.Seq(), k.o.Clock.Now()), head
	if err := u.fence(in, w.realm, head); err != nil {
		return nil, err
	}
	written := false
	for _, g := range groupByKind(admitted(list, u.views[w.realm])) {
		if err := u.writeGroup(in, g); err != nil {
			return nil, err
		}
		written = written || slices.ContainsFunc(g, func(in *ports.Intent) bool { return in.Err == nil })
	}
	if !written {
		return nil, nil
	}
	if err := u.commit(in); err != nil {
		return nil, err
	}
	if len(list) == 1 { // otherwise it is not known which intent caused which event
		u.show(list[0].ctx)
	}
	return u.after, nil
}

// writeGroup writes intents of one kind.
func (u *unit) writeGroup(ctx context.Context, g []*ports.Intent) error {
	for _, in := range g {
		in.Err = nil
	}
	kind := g[0].Kind
	var events []event.Event
	err := safely(func() (err error) {
		events, err = kind.Write(ctx, u.views[u.realm], u.last(), g)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", kind.Name, err)
	}
	return u.append(events)
}

// admitted returns the intents whose callers still have a valid account and key. It sets an error on the others.
func admitted(list []*queuedIntent, v *directory.View) []*queuedIntent {
	return slices.DeleteFunc(slices.Clone(list), func(in *queuedIntent) bool {
		in.intent.Err = nil
		if in.caller.User != 0 {
			_, in.intent.Err = permission.Caller(v, in.caller)
		}
		return in.intent.Err != nil
	})
}

// groupByKind groups intents by kind, sorted by the kinds' order and then by arrival.
func groupByKind(list []*queuedIntent) [][]*ports.Intent {
	var groups [][]*ports.Intent
	at := map[*ports.IntentKind]int{}
	for _, in := range list {
		i, ok := at[in.intent.Kind]
		if !ok {
			i = len(groups)
			at[in.intent.Kind] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], in.intent)
	}
	slices.SortStableFunc(groups, func(a, b []*ports.Intent) int { return cmp.Compare(a[0].Kind.Order, b[0].Kind.Order) })
	return groups
}
