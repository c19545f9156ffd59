package kernel

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// Limits on a model's memory.
const (
	keptVersions = 1000
	keptFor      = 10 * time.Second
	ringEntries  = 4096
	ringBytes    = 2 << 20
	page         = 1000 // entries read per query when catching up
)

// model holds the state of a realm on this node: its newest view, earlier versions of it, and the newest entries. It
// only moves forward, entry by entry. No query runs while its mutex is held: readers pass the entries they have read to
// advance, which skips those already applied.
type model struct {
	k     *Kernel
	realm realm.ID
	ready chan struct{} // closed when the model has been built or that has failed
	err   error

	mu         sync.Mutex
	versions   []version     // by ascending position; the last is the newest
	ring       []event.Entry // consecutive entries up to the newest version
	ringSize   int
	epoch      int64
	verified   time.Time // when the newest version was last known to be the head
	used       time.Time
	head       event.Seq           // the newest position of the log that is known
	lag        time.Duration       // how late the newest entries of other nodes were applied
	dropped    bool                // replaced by another model, which publishes all later entries
	advanced   []event.LogAdvanced // not published yet, in order
	publishing bool
}

type version struct {
	view *directory.View
	at   time.Time // when this node reached the version
}

// newest returns the newest version, even if its lease has expired.
func (m *model) newest() *directory.View {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last()
}

func (m *model) last() *directory.View { return m.versions[len(m.versions)-1].view }

func (m *model) seq() event.Seq { return event.Seq(m.newest().Seq()) }

// fresh returns the newest version, or nil if its lease has expired.
func (m *model) fresh(now time.Time) *directory.View {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.verified) > m.k.o.Lease {
		return nil
	}
	return m.last()
}

// touch records that the realm is in use.
func (m *model) touch() {
	now := m.k.o.Clock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = now
}

// renew records that at the given time the log had no entries after seq.
func (m *model) renew(seq event.Seq, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if event.Seq(m.last().Seq()) >= seq && at.After(m.verified) {
		m.verified = at
	}
}

// advance applies consecutive entries, skipping those already applied. It publishes event.LogAdvanced for the others in
// order, on this goroutine or on one that is already publishing.
func (m *model) advance(es []event.Entry) {
	now := m.k.o.Clock.Now()
	m.mu.Lock()
	v := m.last()
	advanced := event.LogAdvanced{Realm: m.realm}
	for _, e := range es {
		if int64(e.Seq) != v.Seq()+1 {
			continue
		}
		if len(e.Changes) > 0 {
			v = v.Apply(int64(e.Seq), e.Changes...)
		}
		v = v.AsOf(int64(e.Seq), e.At)
		m.versions = append(m.versions, version{v, now})
		m.ring = append(m.ring, e)
		m.ringSize += len(e.Payload)
		advanced.Entries, advanced.Views = append(advanced.Entries, e), append(advanced.Views, v)
	}
	advanced.View = v
	m.evict(now)
	if len(advanced.Entries) > 0 && !m.dropped {
		m.advanced = append(m.advanced, advanced)
	}
	start := !m.publishing && len(m.advanced) > 0
	m.publishing = m.publishing || start
	m.mu.Unlock()
	if start {
		m.publish()
	}
}

// publish runs the pending hook events. Only one goroutine at a time does so.
func (m *model) publish() {
	for {
		m.mu.Lock()
		if len(m.advanced) == 0 {
			m.publishing = false
			m.mu.Unlock()
			return
		}
		next := m.advanced[0]
		m.advanced = m.advanced[1:]
		m.mu.Unlock()
		m.run(&next)
	}
}

func (m *model) run(advanced *event.LogAdvanced) {
	if err := safely(func() error { return m.k.Run(m.k.ctx, advanced) }); err != nil {
		m.k.log.Error("a hook on realm log entries failed", "realm", m.realm, "seq", advanced.View.Seq(), "error", err)
	}
}

// evict drops versions and entries that exceed the limits. It cuts slices at the front and copies them only when half
// is gone, since readers may still use the old slice.
func (m *model) evict(now time.Time) {
	drop := max(0, len(m.versions)-keptVersions)
	for drop < len(m.versions)-1 && now.Sub(m.versions[drop].at) > keptFor {
		drop++
	}
	if drop > 0 {
		m.versions = slices.Clone(m.versions[drop:])
	}
	excess := max(0, len(m.ring)-ringEntries)
	if excess < ringEntries/2 && m.ringSize <= ringBytes {
		return
	}
	size := m.ringSize
	for i, e := range m.ring {
		if i >= excess && size <= ringBytes/2 {
			excess = i
			break
		}
		size -= len(e.Payload)
	}
	m.ring, m.ringSize = slices.Clone(m.ring[excess:]), size
}

// recent returns the entries with after < seq <= upto. It returns false if they are not all in memory.
func (m *model) recent(after, upto event.Seq) ([]event.Entry, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.ring) == 0 || m.ring[0].Seq > after+1 {
		return nil, false
	}
	first := m.ring[0].Seq
	from, to := int(after+1-first), int(upto+1-first)
	if to > len(m.ring) || from > to {
		return nil, false
	}
	return m.ring[from:to:to], true
}

// nearest returns the oldest stored version at or after seq.
func (m *model) nearest(seq event.Seq) *directory.View {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := sort.Search(len(m.versions), func(i int) bool { return m.versions[i].view.Seq() >= int64(seq) })
	if i == len(m.versions) {
		return nil
	}
	return m.versions[i].view
}

// at returns the view at seq, a position that the log has reached. It applies missing entries or undoes later ones, and
// reads in the transaction in ctx.
func (m *model) at(ctx context.Context, seq event.Seq) (*directory.View, error) {
	if err := m.catchUp(ctx, seq); err != nil {
		return nil, err
	}
	v := m.nearest(seq)
	if event.Seq(v.Seq()) == seq {
		return v, nil
	}
	return m.undo(ctx, v, seq)
}

// catchUp advances the model to at least seq. Errors: errGap if the entries needed have been trimmed.
func (m *model) catchUp(ctx context.Context, seq event.Seq) error {
	for {
		have := m.seq()
		if have >= seq {
			return nil
		}
		es, err := m.k.store.between(ctx, m.realm, have, seq, page)
		if err != nil {
			return err
		}
		if len(es) == 0 || es[0].Seq != have+1 {
			return errGap
		}
		m.advance(es)
	}
}

// undo derives the view at seq from a later one.
func (m *model) undo(ctx context.Context, v *directory.View, seq event.Seq) (*directory.View, error) {
	upto := event.Seq(v.Seq())
	later, ok := m.recent(seq, upto)
	if ok {
		later = slices.Clone(later)
		slices.Reverse(later)
	} else {
		var err error
		if later, err = m.k.store.factEntries(ctx, m.realm, seq, upto); err != nil {
			return nil, err
		}
	}
	for _, e := range later {
		if len(e.Changes) > 0 {
			v = v.Undo(int64(e.Seq), e.Changes...)
		}
	}
	return v.AsOf(int64(seq), v.Now()), nil
}
