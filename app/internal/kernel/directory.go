package kernel

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// View implements ports.Directory.
func (k *Kernel) View(ctx context.Context, r realm.ID) (*directory.View, error) {
	if u := unitOf(ctx); u != nil {
		return u.view(ctx, r)
	}
	m, err := k.model(ctx, r)
	if err != nil {
		return nil, err
	}
	now := k.o.Clock.Now()
	if v := m.fresh(now); v != nil {
		return v.AsOf(v.Seq(), now), nil
	}
	return k.Verified(ctx, r)
}

// Verified implements ports.Directory.
func (k *Kernel) Verified(ctx context.Context, r realm.ID) (*directory.View, error) {
	if u := unitOf(ctx); u != nil {
		return u.view(ctx, r)
	}
	m, err := k.model(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := k.heads.verify(ctx, r); err != nil {
		return nil, k.ClientError(err)
	}
	if now := k.builtModel(r); now != nil {
		m = now // restoring the database may have changed the model meanwhile
	}
	v := m.newest()
	return v.AsOf(v.Seq(), k.o.Clock.Now()), nil
}

// As implements ports.Directory.
func (k *Kernel) As(ctx context.Context, r realm.ID, entries []event.Entry) ([]*directory.View, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	m, err := k.model(ctx, r)
	if err != nil {
		return nil, err
	}
	last := entries[len(entries)-1]
	v := m.nearest(last.Seq)
	if v == nil {
		return nil, errors.New("kernel: entries beyond the newest view")
	}
	if v.Seq() != int64(last.Seq) {
		if v, err = m.undo(ctx, v, last.Seq); err != nil {
			return nil, k.ClientError(err)
		}
	}
	views := make([]*directory.View, len(entries))
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if v.Seq() != int64(e.Seq) {
			return nil, errors.New("kernel: entries are not consecutive")
		}
		views[i] = v.AsOf(int64(e.Seq), e.At)
		v = v.Undo(int64(e.Seq), e.Changes...)
	}
	return views, nil
}

// maxPage is the maximum number of entries that After returns.
const maxPage = 50_000

// After implements ports.LogReader.
func (k *Kernel) After(ctx context.Context, r realm.ID, seq event.Seq, limit int) ([]event.Entry, event.Seq, error) {
	v, err := k.View(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	if int64(seq) > v.Seq() { // another node may have a newer view
		if v, err = k.Verified(ctx, r); err != nil {
			return nil, 0, err
		}
	}
	upto := event.Seq(v.Seq())
	if seq >= upto {
		return nil, upto, nil
	}
	if limit <= 0 || limit > maxPage {
		limit = maxPage
	}
	cut := min(upto, seq+event.Seq(limit))
	if m := k.builtModel(r); m != nil && unitOf(ctx) == nil {
		if es, ok := m.recent(seq, cut); ok {
			return es, cut, nil
		}
	}
	es, err := k.store.between(ctx, r, seq, cut, limit)
	if err != nil {
		return nil, 0, k.ClientError(err)
	}
	if len(es) == 0 || es[0].Seq != seq+1 {
		return nil, 0, errs.New(errs.BadEventQueue, "Bad event queue ID: the events after %d are no longer kept", seq)
	}
	return es, cut, nil
}
