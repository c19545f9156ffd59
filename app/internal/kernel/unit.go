package kernel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// unit is one transaction: a unit of work, a batch of a realm's writer, or a snapshot.
//
// On PostgreSQL, locks are acquired in a fixed order, so that the holder of a realm's lock never waits: first the lane,
// by the first call of View in a unit of work, which must therefore come before locking rows; then rows; last the
// realm, by Lock or by the commit. Until then, appended entries stay in memory.
type unit struct {
	k         *Kernel
	tx        *bunstore.Tx
	kind      unitKind
	views     map[realm.ID]*directory.View // pinned views; that of realm includes pending changes
	pinnedAt  map[realm.ID]event.Seq       // the positions at which views were pinned
	realm     realm.ID                     // the realm whose log is written; 0 if not yet known
	locked    bool
	base      event.Seq          // the head before this transaction, read under the lock
	rows      []row              // appended entries
	changes   []directory.Change // of all appended entries
	facts     []audit.Fact       // to be recorded
	after     []func(context.Context)
	asked     time.Time // when the change was requested, if that is measured
	lockFirst bool      // after two retries: lock the realm before deciding, so that no other change can intervene
	stale     bool      // facts that the change depends on have changed: retry
}

type unitKind int

const (
	change unitKind = iota
	batch
	snapshot
)

// errStale means that shared facts or the head have changed since the change was decided.
var errStale = errors.New("kernel: the realm has changed; the change must be decided again")

type unitKey struct{}

func unitOf(ctx context.Context) *unit {
	u, _ := ctx.Value(unitKey{}).(*unit)
	return u
}

func (k *Kernel) newUnit(ctx context.Context, kind unitKind, t *bunstore.Tx) (*unit, context.Context) {
	u := &unit{k: k, tx: t, kind: kind, views: map[realm.ID]*directory.View{}, pinnedAt: map[realm.ID]event.Seq{}}
	return u, context.WithValue(k.db.With(ctx, t), unitKey{}, u)
}

// view returns the view that the unit uses. The first call pins it.
func (u *unit) view(ctx context.Context, r realm.ID) (*directory.View, error) {
	if v := u.views[r]; v != nil {
		return v, nil
	}
	if u.kind == change && !u.locked {
		// Building a model takes longer than a transaction with the lane may be idle. An error is reported by read.
		_, _ = u.k.model(ctx, r)
	}
	seq, err := u.position(ctx, r)
	if err != nil {
		return nil, u.k.ClientError(err)
	}
	v, err := u.read(ctx, r, seq)
	if err != nil {
		return nil, u.k.ClientError(err)
	}
	v = v.AsOf(v.Seq(), u.k.o.Clock.Now())
	if a, asked := ports.Caller(ctx); asked && a.Realm == r && u.kind == change {
		if _, err := permission.Caller(v, a); err != nil {
			return nil, err
		}
	}
	u.views[r], u.pinnedAt[r] = v, seq
	return v, nil
}

// position returns a realm's head in this transaction. If a change of shared facts may follow, it first acquires the
// lane.
func (u *unit) position(ctx context.Context, r realm.ID) (event.Seq, error) {
	if u.locked && u.realm == r {
		return u.base, nil
	}
	lane := ""
	if u.kind == change && !u.locked {
		lane = u.k.db.LockSQL(bunstore.LaneLock, int64(r))
	}
	if u.kind == change && u.lockFirst && !u.locked { // the lane comes first in the fixed order
		if _, err := u.tx.Run(ctx, lane); err != nil {
			return 0, err
		}
		err := u.lock(ctx, r)
		return u.base, err
	}
	n, err := u.tx.Run(ctx, lane, headSQL(r))
	return event.Seq(n), err
}

func (u *unit) read(ctx context.Context, r realm.ID, seq event.Seq) (*directory.View, error) {
	m, err := u.k.model(ctx, r)
	if errs.Is(err, errs.NotFound) && u.kind == change {
		// This transaction may be creating the realm. The view remains private to it, since it may be rolled back.
		l := u.k.newLoader(r)
		if err := l.read(ctx); err != nil {
			return nil, err
		}
		v, err := l.view(ctx, int64(seq))
		if err != nil {
			return nil, err
		}
		return v.AsOf(int64(seq)+u.appended(r), v.Now()), nil
	}
	if err != nil {
		return nil, err
	}
	v, err := m.at(ctx, seq)
	if errors.Is(err, errGap) {
		if m, err = u.k.rebuild(ctx, m); err == nil {
			v, err = m.at(ctx, seq)
		}
	}
	if err != nil {
		return nil, err
	}
	if u.realm == r {
		return u.pending(v)
	}
	return v, nil
}

func (u *unit) appended(r realm.ID) int64 {
	if u.realm != r {
		return 0
	}
	return int64(len(u.rows))
}

// pending returns v with the appended entries applied.
func (u *unit) pending(v *directory.View) (*directory.View, error) {
	for _, w := range u.rows {
		c, err := w.changes(u.k.store.slots)
		if err != nil {
			return nil, err
		}
		v = v.Apply(v.Seq()+1, c...)
	}
	return v, nil
}

// lock acquires the realm's lock and checks the fence, that is, whether the facts that the change depends on still
// hold.
func (u *unit) lock(ctx context.Context, r realm.ID) error {
	if u.kind == snapshot {
		return errors.New("kernel: a snapshot only reads")
	}
	if u.realm != 0 && u.realm != r {
		return fmt.Errorf("kernel: one unit of work writes the log of one realm, not of %d and %d", u.realm, r)
	}
	if u.locked {
		return nil
	}
	n, err := u.tx.Run(ctx, u.k.db.LockSQL(bunstore.RealmLock, int64(r)), headSQL(r))
	if err != nil {
		return err
	}
	return u.fence(ctx, r, event.Seq(n))
}

// fence records that the realm is locked at head. It returns errStale if shared facts have changed.
func (u *unit) fence(ctx context.Context, r realm.ID, head event.Seq) error {
	u.realm, u.locked, u.base = r, true, head
	if m := u.k.builtModel(r); m != nil && m.seq() > head { // nobody else writes under the lock, so the log was set back
		u.stale = true
		return errStale
	}
	v, pinned := u.views[r]
	if !pinned || head == u.pinnedAt[r] {
		return nil
	}
	changed, err := u.k.store.factsChanged(u.k.db.With(ctx, u.tx), r, u.pinnedAt[r], head)
	if err != nil {
		return err
	}
	if changed || head < u.pinnedAt[r] {
		u.stale = true
		return errStale
	}
	u.views[r], u.pinnedAt[r] = v.AsOf(int64(head)+u.appended(r), v.Now()), head // same facts at a later position
	return nil
}

// append encodes events and stores them for the commit.
func (u *unit) append(events []event.Event) error {
	if u.kind == snapshot {
		return errors.New("kernel: a snapshot only reads")
	}
	now := u.k.o.Clock.Now()
	for _, e := range events {
		if e.Realm == 0 || u.realm != 0 && u.realm != e.Realm {
			return fmt.Errorf("kernel: one unit of work writes the log of one realm, not of %d and %d", u.realm, e.Realm)
		}
		u.realm = e.Realm
		w, err := encode(e, now)
		if err != nil {
			return err
		}
		c, err := w.changes(u.k.store.slots)
		if err != nil {
			return err
		}
		u.rows = append(u.rows, w)
		if u.kind == change {
			u.changes = append(u.changes, e.Changes...)
		}
		if v := u.views[e.Realm]; v != nil {
			u.views[e.Realm] = v.Apply(v.Seq()+1, c...)
		}
	}
	return nil
}
