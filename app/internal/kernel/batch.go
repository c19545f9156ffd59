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

const batchTimeout = 10 * time.Second

// write commits a batch and reports the outcome of each intent. If the batch fails for a reason that no check has
// found, write bisects it until the failing intent is alone, so that the others still commit.
func (w *writer) write(list []*waiting) {
	err := w.attempt(list)
	switch {
	case err == nil:
		for _, in := range list {
			in.done <- in.in.Err
		}
	case len(list) == 1 || w.k.hopeless(err):
		for _, in := range list {
			in.done <- w.k.Outward(err)
		}
	default:
		w.k.log.Error(
			"a batch failed; its parts are retried separately",
			"realm",
			w.realm,
			"changes",
			len(list),
			"error",
			err,
		)
		w.write(list[:len(list)/2])
		w.write(list[len(list)/2:])
	}
}

// hopeless reports whether every part of the batch would fail with the same error, so that bisecting is pointless.
func (k *Kernel) hopeless(err error) bool {
	return k.db.Unavailable(err) || k.db.Retryable(err) || errors.Is(err, errMoved) ||
		errors.Is(err, context.DeadlineExceeded) ||
		errs.Is(err, errs.NotFound)
}

// attempt runs a batch, and retries it if the database's error permits.
func (w *writer) attempt(list []*waiting) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.k.ctx), w.k.db.Timeout(batchTimeout))
	defer cancel()
	wait := 2 * time.Millisecond
	for n := 1; ; n++ {
		after, err := w.once(ctx, list)
		if err == nil {
			for _, f := range after {
				f(w.k.ctx)
			}
			return nil
		}
		if errors.Is(err, errMoved) {
			err = errors.Join(err, w.k.heads.ask(ctx, w.realm)) // possibly the first sign of a restored database
		}
		if n == attempts || !w.k.retryable(err) || !pause(ctx, wait) {
			return err
		}
		wait *= 2
	}
}

// once runs a batch in one transaction: it locks the log, gets the exact view, calls each kind's Write, writes the log,
// and commits.
func (w *writer) once(ctx context.Context, list []*waiting) ([]func(context.Context), error) {
	k := w.k
	m, err := k.model(ctx, w.realm) // before the transaction: building a model needs its own connection
	if err != nil {
		return nil, err
	}
	t, n, err := k.db.Begin(ctx, bunstore.Batching, k.db.LockSQL(bunstore.RealmLock, int64(w.realm)), headSQL(w.realm))
	if err != nil {
		return nil, err
	}
	defer t.Rollback()
	u, in := k.newUnit(ctx, batch, t)
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
	u.views[w.realm], u.seen[w.realm] = v.AsOf(v.Seq(), k.o.Clock.Now()), head
	if err := u.fence(in, w.realm, head); err != nil {
		return nil, err
	}
	written := false
	for _, g := range grouped(admitted(list, u.views[w.realm])) {
		if err := u.group(in, g); err != nil {
			return nil, err
		}
		written = written || slices.ContainsFunc(g, func(in *ports.Intent) bool { return in.Err == nil })
	}
	if !written {
		return nil, nil
	}
	return u.after, u.commit(in)
}

// group writes intents of one kind.
func (u *unit) group(ctx context.Context, g []*ports.Intent) error {
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
func admitted(list []*waiting, v *directory.View) []*waiting {
	return slices.DeleteFunc(slices.Clone(list), func(in *waiting) bool {
		in.in.Err = nil
		if in.caller.User != 0 {
			_, in.in.Err = permission.Caller(v, in.caller)
		}
		return in.in.Err != nil
	})
}

// grouped groups intents by kind, sorted by the kinds' order and then by arrival.
func grouped(list []*waiting) [][]*ports.Intent {
	var groups [][]*ports.Intent
	at := map[*ports.IntentKind]int{}
	for _, in := range list {
		i, ok := at[in.in.Kind]
		if !ok {
			i = len(groups)
			at[in.in.Kind] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], in.in)
	}
	slices.SortStableFunc(groups, func(a, b []*ports.Intent) int { return cmp.Compare(a[0].Kind.Order, b[0].Kind.Order) })
	return groups
}
