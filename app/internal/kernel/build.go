package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
)

// build loads all parts of the view at one log position, beginning with the head. A second connection speeds up large
// realms, if one becomes free before the first has read everything.
func (m *model) build(ctx context.Context) error {
	k := m.k
	startedAt := k.o.Clock.Now()
	l := k.newLoader(m.realm)
	first, at, err := k.reader(ctx, ctx, m.realm)
	if err != nil {
		return err
	}
	defer first.end()
	var helper sync.WaitGroup
	var helperErr error
	firstDone, stop := context.WithCancel(ctx)
	defer stop()
	helper.Go(func() { helperErr = safely(func() error { return l.help(firstDone, ctx, at) }) })
	err = safely(func() error { return l.read(first.ctx) })
	stop()
	helper.Wait()
	if err := errors.Join(err, helperErr); err != nil {
		return err
	}
	v, err := l.view(first.ctx, int64(at.Seq))
	if err != nil {
		return err
	}
	k.m.viewLoad.Took(k.o.Clock.Now().Sub(startedAt))
	m.versions = []version{{v, startedAt}}
	m.epoch, m.verified, m.used = at.Epoch, startedAt, startedAt
	return nil
}

// reader is a transaction that sees a realm's log at one position.
type reader struct {
	ctx context.Context // carries the transaction
	end func()
}

// reader opens a transaction. wait bounds the time to wait for a connection.
func (k *Kernel) reader(wait, ctx context.Context, r realm.ID) (*reader, head, error) {
	conn, err := k.db.Reserve(wait, bunstore.Reading)
	if err != nil {
		return nil, head{}, err
	}
	t, _, err := conn.Begin(ctx)
	if err != nil {
		return nil, head{}, err
	}
	in := k.db.With(ctx, t)
	hs, err := k.store.heads(in, []realm.ID{r})
	if err != nil {
		t.Rollback()
		return nil, head{}, err
	}
	return &reader{in, t.Rollback}, hs[0], nil
}

// loader tracks which parts of a realm have been read. Several readers may work concurrently, in transactions that see
// the same log position.
type loader struct {
	k     *Kernel
	realm realm.ID
	next  atomic.Int32 // the first part that no reader has taken
	parts []directory.Builder
}

func (k *Kernel) newLoader(r realm.ID) *loader {
	return &loader{k: k, realm: r, parts: make([]directory.Builder, len(k.parts))}
}

// read loads parts that no other reader has taken, one by one.
func (l *loader) read(ctx context.Context) error {
	for i := int(l.next.Add(1)) - 1; i < len(l.parts); i = int(l.next.Add(1)) - 1 {
		p := l.k.parts[i]
		if p.Load == nil {
			continue
		}
		if err := p.Load(ctx, l.realm, &l.parts[i]); err != nil {
			return fmt.Errorf("load %s of realm %d: %w", p.Name, l.realm, err)
		}
	}
	return nil
}

// helpAfter is how long a reader works alone. Small realms are loaded sooner.
const helpAfter = 3 * time.Millisecond

// help reads on a second connection. It does nothing if a change was committed after the first reader began, or if wait
// ends before a connection is free. Only one build at a time is helped, because several builds that hold a connection
// each could all wait for another one.
func (l *loader) help(wait, ctx context.Context, at head) error {
	select {
	case <-wait.Done():
		return nil
	case <-time.After(helpAfter):
	}
	if !l.k.helping.TryLock() {
		return nil
	}
	defer l.k.helping.Unlock()
	second, secondHead, err := l.k.reader(wait, ctx, l.realm)
	if err != nil {
		return nil // not fatal: the first reader continues, and reports a failing database itself
	}
	defer second.end()
	if secondHead != at {
		return nil
	}
	return l.read(second.ctx)
}

// view builds the view at log position seq from the loaded parts. Errors: NotFound.
func (l *loader) view(ctx context.Context, seq int64) (*directory.View, error) {
	b := directory.Join(l.parts...)
	b.Names(nameKey)
	v := b.View(seq)
	if v.Realm() == nil {
		return nil, errs.New(errs.NotFound, "No such organization")
	}
	for _, p := range l.k.parts {
		if p.Then == nil {
			continue
		}
		more, err := p.Then(ctx, v)
		if err != nil {
			return nil, fmt.Errorf("load %s of realm %d: %w", p.Name, l.realm, err)
		}
		v = v.Apply(seq, more...)
	}
	return v.AsOf(seq, l.k.o.Clock.Now()), nil
}
