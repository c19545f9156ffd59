package kernel

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// attempts is how many times a change is decided before the caller gets an error.
const attempts = 8

// Do implements ports.UnitOfWork.
func (k *Kernel) Do(ctx context.Context, fn func(context.Context) error) error {
	if u := unitOf(ctx); u != nil {
		if u.kind == snapshot {
			return errors.New("kernel: a snapshot only reads")
		}
		return fn(ctx)
	}
	ctx, span := k.o.Traces.Within(ctx, ports.SpanTransaction, "change")
	err := k.do(ctx, fn)
	span.End(err)
	return err
}

// do is Do outside of other units of work.
func (k *Kernel) do(ctx context.Context, fn func(context.Context) error) error {
	asked, wait := k.m.now(), 2*time.Millisecond
	for n := 1; ; n++ {
		begun := k.m.now()
		err := k.try(ctx, fn, asked, n > 2)
		k.m.attempted(begun, k, err)
		if n == attempts || !k.retryable(err) || !pause(ctx, wait) {
			return k.ClientError(err)
		}
		wait *= 2
	}
}

func (k *Kernel) try(ctx context.Context, fn func(context.Context) error, asked time.Time, lockEarly bool) error {
	t, _, err := k.db.Begin(ctx, bunstore.Changing)
	if err != nil {
		return err
	}
	defer t.Rollback()
	u, in := k.newUnit(ctx, change, t)
	u.asked, u.lockFirst = asked, lockEarly
	err = fn(in)
	if err == nil && !u.stale {
		err = ctx.Err()
	}
	if err == nil && !u.stale {
		err = u.commit(in)
	}
	if u.stale { // whatever fn returned
		t.Rollback()
		return errors.Join(errStale, k.heads.verify(ctx, u.realm)) // possibly the first sign of a restored database
	}
	if err != nil {
		return err
	}
	u.show(ctx)
	after := ports.WithCaller(ctx, user.Actor{}) // without the caller, whose own account this change may have ended
	for _, f := range u.after {
		f(after)
	}
	return nil
}

// retryable reports whether a failed change may succeed if it is decided again.
func (k *Kernel) retryable(err error) bool {
	return err != nil && (errors.Is(err, errStale) || k.db.Retryable(err))
}

// pause waits for about d. It returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// AfterCommit implements ports.UnitOfWork.
func (k *Kernel) AfterCommit(ctx context.Context, fn func(context.Context)) {
	if u := unitOf(ctx); u != nil && u.kind != snapshot {
		u.after = append(u.after, fn)
		return
	}
	fn(ctx)
}

// Snapshot implements ports.UnitOfWork.
func (k *Kernel) Snapshot(ctx context.Context, r realm.ID, fn func(context.Context) error) error {
	if unitOf(ctx) != nil {
		return fn(ctx)
	}
	ctx, span := k.o.Traces.Within(ctx, ports.SpanTransaction, "snapshot")
	err := k.snapshot(ctx, r, fn)
	span.End(err)
	return err
}

// snapshot is Snapshot outside of a unit of work.
func (k *Kernel) snapshot(ctx context.Context, r realm.ID, fn func(context.Context) error) error {
	m, err := k.model(ctx, r) // before the transaction, since building a model needs a connection of its own
	if err != nil {
		return err
	}
	t, head, err := k.db.Begin(ctx, bunstore.Reading, headSQL(r))
	if err != nil {
		return k.ClientError(err)
	}
	defer t.Rollback()
	u, in := k.newUnit(ctx, snapshot, t)
	v, err := m.at(in, event.Seq(head))
	if errors.Is(err, errGap) {
		if m, err = k.rebuild(ctx, m); err == nil {
			v, err = m.at(in, event.Seq(head))
		}
	}
	if err != nil {
		return k.ClientError(err)
	}
	u.views[r], u.pinnedAt[r] = v.AsOf(v.Seq(), k.o.Clock.Now()), event.Seq(head)
	return k.ClientError(fn(in))
}
