package kernel

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

const commitTimeout = 10 * time.Second

// commit writes the log entries and commits. It ignores cancellation of ctx, which would leave the outcome unknown.
// When it returns, this node's view contains the committed entries.
func (u *unit) commit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), u.k.db.Timeout(commitTimeout))
	defer cancel()
	if len(u.rows) > 0 {
		if err := u.lock(ctx, u.realm); err != nil {
			return err
		}
	}
	if err := u.authorize(ctx); err != nil {
		return err
	}
	if err := u.audit(ctx); err != nil {
		return err
	}
	if len(u.rows) == 0 {
		return u.tx.Commit(ctx)
	}
	origin := u.k.origin()
	for i := range u.rows {
		u.rows[i].Seq, u.rows[i].Origin = u.base+1+event.Seq(i), origin
	}
	es, err := u.k.store.entries(u.rows)
	if err != nil {
		return err
	}
	insert, err := u.k.store.insert(u.rows)
	if err != nil {
		return err
	}
	lockedAt := u.k.o.Clock.Now() // the realm is locked, so no newer entry exists
	err = u.tx.Commit(ctx, insert)
	var unknown *bunstore.UnknownError
	switch {
	case errors.As(err, &unknown):
		err = u.resolveUnknownCommit(ctx, origin, err)
	case u.k.db.Conflict(err): // a lock was lost, or a row that the change considered new already exists
		err = errStale
	}
	if err != nil {
		return err
	}
	for i := range es {
		es[i].Asked = u.asked
		u.k.m.events.Add(1, es[i].Type)
	}
	u.k.applyCommitted(ctx, u.realm, es, lockedAt)
	u.k.notes.tell(u.realm, es[len(es)-1].Seq)
	return nil
}

// show reports the committed entries to the witness of ctx.
func (u *unit) show(ctx context.Context) {
	for _, r := range u.rows {
		ports.Witness(ctx, r.Type, r.Op)
	}
}

// authorize refuses the change if the caller's account or key has been revoked. A unit that has used the view has
// checked that already.
func (u *unit) authorize(ctx context.Context) error {
	a, ok := ports.Caller(ctx)
	if !ok || u.kind != change || u.views[a.Realm] != nil {
		return nil
	}
	head := u.base
	if !u.locked || u.realm != a.Realm { // no need for the lane, since nothing is decided with this view
		n, err := u.tx.Run(ctx, headSQL(a.Realm))
		if err != nil {
			return err
		}
		head = event.Seq(n)
	}
	v, err := u.read(ctx, a.Realm, head)
	if err == nil {
		_, err = permission.Caller(v, a)
	}
	return err
}

// resolveUnknownCommit determines the outcome of a commit whose response was lost. It acquires the realm's lock and
// checks whether the entries exist.
func (u *unit) resolveUnknownCommit(ctx context.Context, origin []byte, lost error) error {
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		found, err := u.wasCommitted(ctx, origin)
		switch {
		case err == nil && found:
			return nil
		case err == nil:
			return errStale // not committed: retry
		}
		if !pause(ctx, wait) {
			return lost
		}
	}
}

func (u *unit) wasCommitted(ctx context.Context, origin []byte) (bool, error) {
	t, _, err := u.k.db.Begin(ctx, bunstore.Batching, u.k.db.LockSQL(bunstore.RealmLock, int64(u.realm)))
	if err != nil {
		return false, err
	}
	defer t.Rollback()
	return u.k.store.hasOrigin(u.k.db.With(ctx, t), u.realm, u.base, origin)
}

// applyCommitted updates this node's model with the entries that it has just committed.
func (k *Kernel) applyCommitted(ctx context.Context, r realm.ID, es []event.Entry, lockedAt time.Time) {
	m := k.builtModel(r)
	if m == nil {
		return // built when next used
	}
	last := es[len(es)-1].Seq
	m.advance(es)
	if m.seq() < last { // other nodes wrote before, and this unit did not use the view
		if err := m.catchUp(k.db.Without(context.WithoutCancel(ctx)), last); err != nil {
			k.log.Warn("cannot catch up after a commit", "realm", r, "error", err)
			return // the current view's lease expires within a second
		}
	}
	m.renew(last, lockedAt)
}
