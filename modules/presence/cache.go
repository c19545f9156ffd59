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
	epoch    int64 // of the realm's log: counters are reused after a restore
	lastUsed time.Time

	mu       sync.RWMutex
	list     []cachedRow     // sorted by counter
	at       map[user.ID]int // index of each user's newest row in list
	outdated int             // number of outdated rows in list
}

type cachedRow struct {
	*row
	outdated bool // the list contains a newer row of the user
}

// cache returns a realm's cache. A cache of an earlier epoch is replaced by an empty one.
func (s *service) cache(r realm.ID, epoch int64) *rowCache {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.caches[r]
	if c == nil || c.epoch != epoch {
		c = &rowCache{epoch: epoch, at: map[user.ID]int{}}
		s.caches[r] = c
	}
	c.lastUsed = s.Clock.Now()
	return c
}

// evictIdle is the job that drops the caches of realms that have had no requests for maxIdle.
func (s *service) evictIdle(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r, c := range s.caches {
		if s.Clock.Now().Sub(c.lastUsed) > maxIdle {
			delete(s.caches, r)
		}
	}
	return nil
}

const maxIdle = 10 * time.Minute

// head returns the cached row with the highest counter, or nil. The caller must hold c.mu.
func (c *rowCache) head() *row {
	if len(c.list) == 0 {
		return nil
	}
	return c.list[len(c.list)-1].row
}

// of returns a user's newest cached row, or nil.
func (c *rowCache) of(u user.ID) *row {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if i, ok := c.at[u]; ok {
		return c.list[i].row
	}
	return nil
}

// pick returns the users' newest cached rows that match a query. It also returns the head: the result is complete up to
// that row.
func (c *rowCache) pick(q *query) ([]*row, *row) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	from, _ := slices.BinarySearchFunc(
		c.list,
		q.counter+1,
		func(n cachedRow, counter int64) int { return cmp.Compare(n.Counter, counter) },
	)
	out := make([]*row, 0, len(c.list)-from)
	for _, n := range c.list[from:] {
		if !n.outdated && q.matches(n.row) {
			out = append(out, n.row)
		}
	}
	return out, c.head()
}

// add adds rows, which must be sorted by counter and include all stored rows after the head.
func (c *rowCache) add(rows []*row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var last int64
	if h := c.head(); h != nil {
		last = h.Counter
	}
	for _, r := range rows {
		if r.Counter <= last {
			continue
		}
		if i, ok := c.at[r.UserID]; ok {
			c.list[i].outdated = true
			c.outdated++
		}
		c.at[r.UserID] = len(c.list)
		c.list = append(c.list, cachedRow{row: r})
	}
	if c.outdated > len(c.at)+64 {
		c.list = slices.DeleteFunc(c.list, func(n cachedRow) bool { return n.outdated })
		c.outdated = 0
		for i, n := range c.list {
			c.at[n.UserID] = i
		}
	}
}

// replace replaces all cached rows.
func (c *rowCache) replace(rows []*row) {
	c.mu.Lock()
	c.list, c.at, c.outdated = nil, map[user.ID]int{}, 0
	c.mu.Unlock()
	c.add(rows)
}

// query returns the rows that match a query, as of now or of the snapshot that ctx carries.
func (s *service) query(ctx context.Context, r realm.ID, q *query) ([]*row, error) {
	epoch, err := s.Reader.Epoch(ctx, r)
	if err != nil {
		return nil, err
	}
	return s.cache(r, epoch).query(q, func(counter int64) ([]*row, error) { return s.rows.From(ctx, r, counter) })
}

// query returns the rows that match a query. loadRows reads the stored rows whose counter is at least the given one,
// sorted by counter.
func (c *rowCache) query(q *query, loadRows func(counter int64) ([]*row, error)) ([]*row, error) {
	known, head := c.pick(q)
	if head == nil {
		head = &row{}
	}
	fresh, err := loadRows(head.Counter)
	if err != nil {
		return nil, err
	}
	if head.Counter == 0 || follows(fresh, head) {
		c.add(fresh)
		return q.merge(known, fresh), nil
	}
	// Either the snapshot is older than the cache, or the cache contains rows that no longer exist.
	if fresh, err = loadRows(0); err == nil && !q.snapshot {
		c.replace(fresh)
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

// merge replaces known rows with fresh rows of the same users and returns the rows that match the query.
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
