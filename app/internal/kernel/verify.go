package kernel

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

const (
	verifyTimeout = 3 * time.Second // for a query, once it has a connection
	verifyWait    = time.Minute     // for a connection; callers that wait less give up earlier
)

// verifier queries the database for the heads of logs. Callers that arrive while a query is running share the next one,
// so every result comes from a query sent after the call, and only one query runs at a time.
type verifier struct {
	k       *Kernel
	mu      sync.Mutex
	next    *headQuery
	running bool
}

type headQuery struct {
	realms map[realm.ID]bool
	done   chan struct{}
	err    map[realm.ID]error
}

// verify waits until the model of each realm has reached the head that its log had at some time after the call.
func (vr *verifier) verify(ctx context.Context, rs ...realm.ID) error {
	vr.mu.Lock()
	if vr.next == nil {
		vr.next = &headQuery{realms: map[realm.ID]bool{}, done: make(chan struct{}), err: map[realm.ID]error{}}
	}
	q := vr.next
	for _, r := range rs {
		q.realms[r] = true
	}
	if !vr.running {
		vr.running = true
		vr.k.spawn(vr.run)
	}
	vr.mu.Unlock()
	select {
	case <-q.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	var all []error
	for _, r := range rs {
		all = append(all, q.err[r])
	}
	return errors.Join(all...)
}

func (vr *verifier) run() {
	for {
		vr.mu.Lock()
		q := vr.next
		vr.next = nil
		vr.running = q != nil
		vr.mu.Unlock()
		if q == nil {
			return
		}
		vr.query(q)
		close(q.done)
	}
}

// query advances the models of the queried realms to their heads.
func (vr *verifier) query(q *headQuery) {
	models := map[realm.ID]*model{}
	before := map[realm.ID]event.Seq{}
	var rs []realm.ID
	for r := range q.realms {
		if m := vr.k.builtModel(r); m != nil {
			models[r], before[r], rs = m, m.seq(), append(rs, r)
		}
	}
	if len(rs) == 0 {
		return
	}
	fail := func(err error) {
		for _, r := range rs {
			q.err[r] = unavailable().Because(err)
		}
	}
	wait, stop := context.WithTimeout(vr.k.ctx, vr.k.db.Timeout(verifyWait))
	defer stop()
	conn, err := vr.k.db.Reserve(wait, bunstore.Reading)
	if err != nil {
		fail(err)
		return
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeout(vr.k.ctx, vr.k.db.Timeout(verifyTimeout))
	defer cancel()
	ctx = conn.Use(ctx)
	queriedAt := vr.k.o.Clock.Now()
	heads, err := vr.k.store.heads(ctx, rs)
	if err != nil {
		fail(err)
		return
	}
	for _, h := range heads {
		if err := vr.k.advanceTo(ctx, models[h.Realm], h, before[h.Realm], queriedAt); err != nil {
			q.err[h.Realm] = err
		}
	}
}

// advanceTo advances a model to a head. If the head is before the model's position at the time of the query, the
// database was restored: numbers will be reused, so the log gets a new epoch and the model is rebuilt.
func (k *Kernel) advanceTo(ctx context.Context, m *model, h head, before event.Seq, queriedAt time.Time) error {
	if h.Epoch == m.epoch && h.Seq < before {
		if err := k.checkExists(ctx, m, h); err != nil {
			return err
		}
		k.log.Warn("the realm log is shorter than it was", "realm", m.realm, "was", before, "is", h.Seq)
		if err := k.newEpoch(ctx, m.realm, h.Epoch); err != nil {
			return err
		}
		_, err := k.rebuild(ctx, m)
		return err
	}
	if h.Epoch != m.epoch { // another node has noticed the restored database
		_, err := k.rebuild(ctx, m)
		return err
	}
	m.sawHead(h.Seq)
	err := m.catchUp(ctx, h.Seq)
	if errors.Is(err, errGap) {
		_, err = k.rebuild(ctx, m)
		return err
	}
	if err == nil {
		m.measureLag(before, h.Seq)
		m.renew(h.Seq, queriedAt)
	}
	return err
}
