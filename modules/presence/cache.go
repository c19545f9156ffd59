package presence

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// rowCache caches a realm's rows up to a counter. Thousands of clients request the same changes every minute, so each
// row is read from the database only once: a request loads the rows after the cache's head, usually one or two, and
// adds them to the cache.
type rowCache struct {
	epoch int64 // of the realm's log: counters are reused after a restore
	used  time.Time

	mu   sync.RWMutex
	list []cachedRow     // sorted by counter
	at   map[user.ID]int // index of each user's newest row in list
	dead int             // number of outdated rows in list
}

type cachedRow struct {
	*row
	old bool // the list contains a newer row of the user
}

// cache returns a realm's cache.
func (s *service) cache(r realm.ID, epoch int64) *rowCache {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.caches[r]
	if b == nil || b.epoch != epoch {
		b = &rowCache{epoch: epoch, at: map[user.ID]int{}}
		s.caches[r] = b
	}
	b.used = s.Clock.Now()
	return b
}

// forget drops the caches of realms without requests for a while. It is run by a job.
func (s *service) forget(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r, b := range s.caches {
		if s.Clock.Now().Sub(b.used) > maxIdle {
			delete(s.caches, r)
		}
	}
	return nil
}

const maxIdle = 10 * time.Minute

// head returns the cached row with the highest counter, or nil. The caller must hold b.mu.
func (b *rowCache) head() *row {
	if len(b.list) == 0 {
		return nil
	}
	return b.list[len(b.list)-1].row
}

// of returns a user's newest cached row, or nil.
func (b *rowCache) of(u user.ID) *row {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if i, ok := b.at[u]; ok {
		return b.list[i].row
	}
	return nil
}

// pick returns the users' newest cached rows that match a query, and the head: the row up to which the result is
// complete.
func (b *rowCache) pick(q *query) ([]*row, *row) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	from, _ := slices.BinarySearchFunc(
		b.list,
		q.counter+1,
		func(n cachedRow, c int64) int { return cmp.Compare(n.Counter, c) },
	)
	out := make([]*row, 0, len(b.list)-from)
	for _, n := range b.list[from:] {
		if !n.old && q.matches(n.row) {
			out = append(out, n.row)
		}
	}
	return out, b.head()
}

// add adds rows, which must be sorted by counter and include all stored rows after the head.
func (b *rowCache) add(rows []*row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var last int64
	if h := b.head(); h != nil {
		last = h.Counter
	}
	for _, r := range rows {
		if r.Counter <= last {
			continue
		}
		if i, ok := b.at[r.UserID]; ok {
			b.list[i].old = true
			b.dead++
		}
		b.at[r.UserID] = len(b.list)
		b.list = append(b.list, cachedRow{row: r})
	}
	if b.dead > len(b.at)+64 {
		b.list = slices.DeleteFunc(b.list, func(n cachedRow) bool { return n.old })
		b.dead = 0
		for i, n := range b.list {
			b.at[n.UserID] = i
		}
	}
}

// replace replaces all cached rows.
func (b *rowCache) replace(rows []*row) {
	b.mu.Lock()
	b.list, b.at, b.dead = nil, map[user.ID]int{}, 0
	b.mu.Unlock()
	b.add(rows)
}

// query returns the rows that match a query, as of now or of the snapshot that ctx carries.
func (s *service) query(ctx context.Context, r realm.ID, q *query) ([]*row, error) {
	epoch, err := s.Reader.Epoch(ctx, r)
	if err != nil {
		return nil, err
	}
	return s.cache(r, epoch).query(q, func(counter int64) ([]*row, error) { return s.rows.From(ctx, r, counter) })
}

// query returns the rows that match a query. stored reads the rows whose counter is at least the given one, sorted by
// counter.
func (b *rowCache) query(q *query, stored func(counter int64) ([]*row, error)) ([]*row, error) {
	known, head := b.pick(q)
	if head == nil {
		head = &row{}
	}
	fresh, err := stored(head.Counter)
	if err != nil {
		return nil, err
	}
	if head.Counter == 0 || follows(fresh, head) {
		b.add(fresh)
		return q.merge(known, fresh), nil
	}
	// Either the snapshot is older than the cache, or the cache contains rows that no longer exist.
	if fresh, err = stored(0); err == nil && !q.snapshot {
		b.replace(fresh)
	}
	return q.merge(nil, fresh), err
}

// follows reports whether the rows read from the head's counter on continue the cached rows: they must include the head
// itself or a newer row of its user.
func follows(fresh []*row, head *row) bool {
	return slices.ContainsFunc(fresh, func(r *row) bool {
		return r.UserID == head.UserID && (r.Counter > head.Counter || r.times() == head.times())
	})
}

// merge replaces known rows by fresh rows of the same users and returns the rows that match the query.
func (q *query) merge(known, fresh []*row) []*row {
	newer := make(map[user.ID]bool, len(fresh))
	for _, r := range fresh {
		newer[r.UserID] = true
	}
	out := slices.DeleteFunc(known, func(r *row) bool { return newer[r.UserID] })
	for _, r := range fresh {
		if q.matches(r) {
			out = append(out, r)
		}
	}
	return out
}

// matches reports whether a row matches the query.
func (q *query) matches(r *row) bool { return r.Counter > q.counter && !r.ConnectedAt.Before(q.since) }
