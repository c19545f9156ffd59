package kernel

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// errGap means that entries needed by the model have been trimmed.
var errGap = errors.New("kernel: the log has been trimmed beyond the model")

const buildTimeout = time.Minute // including the wait for a connection; requests that wait less give up earlier

// model returns a realm's model, after building it if this node has none. Errors: NotFound, Unavailable.
func (k *Kernel) model(ctx context.Context, r realm.ID) (*model, error) {
	k.mu.Lock()
	m := k.models[r]
	if m == nil {
		m = k.startBuild(r)
	}
	k.mu.Unlock()
	select {
	case <-m.ready:
		if m.err != nil {
			return nil, k.ClientError(m.err)
		}
		m.touch()
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// builtModel returns a realm's model if this node has built it, or nil.
func (k *Kernel) builtModel(r realm.ID) *model {
	k.mu.Lock()
	m := k.models[r]
	k.mu.Unlock()
	if m == nil {
		return nil
	}
	select {
	case <-m.ready:
		if m.err == nil {
			return m
		}
	default:
	}
	return nil
}

// startBuild starts building a model in the kernel's own context, because several requests may wait for it and none of
// them may cancel it. The caller holds k.mu.
func (k *Kernel) startBuild(r realm.ID) *model {
	m := &model{k: k, realm: r, ready: make(chan struct{})}
	k.models[r] = m
	k.spawn(func() {
		ctx, cancel := context.WithTimeout(k.ctx, k.db.Timeout(buildTimeout))
		defer cancel()
		m.err = safely(func() error { return m.build(ctx) })
		if m.err != nil {
			k.mu.Lock()
			if k.models[r] == m {
				delete(k.models, r)
			}
			k.mu.Unlock()
		}
		// Earlier entries were not published here, so make every follower check before others can be ahead of it.
		if m.err == nil {
			m.run(&event.LogAdvanced{Realm: r, View: m.last()})
		}
		close(m.ready)
	})
	return m
}

// rebuild replaces a model that can no longer follow the log, and returns the new one.
func (k *Kernel) rebuild(ctx context.Context, old *model) (*model, error) {
	k.mu.Lock()
	if k.models[old.realm] == old {
		old.mu.Lock()
		old.dropped = true
		old.mu.Unlock()
		k.startBuild(old.realm)
	}
	k.mu.Unlock()
	return k.model(ctx, old.realm)
}

// activeRealms drops unused realms and returns the others.
func (k *Kernel) activeRealms() []realm.ID {
	now := k.o.Clock.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []realm.ID
	for r, m := range k.models {
		select {
		case <-m.ready:
		default:
			continue
		}
		m.mu.Lock()
		idle := now.Sub(m.used) > k.o.Idle
		m.dropped = m.dropped || idle
		m.mu.Unlock()
		if idle {
			delete(k.models, r)
			continue
		}
		out = append(out, r)
	}
	return out
}
