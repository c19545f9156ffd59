package topics

import (
	"context"
	"sync"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// noopCache caches pairs of user and topic for which further messages change no policy, so that most messages need no
// query. Log entries that may change this invalidate the cache. A node that has not read such an entry yet behaves as
// if the message had been sent before the entry.
type noopCache struct {
	mu     sync.Mutex
	realms map[realm.ID]*realmNoops
	count  int
}

type realmNoops struct {
	upto  int64 // log position that has been processed
	since int64 // log position of the last complete invalidation
	pairs map[user.ID]map[readstate.Topic]bool
}

// maxNoops is the maximum number of entries. When it is exceeded, the cache is cleared.
const maxNoops = 50_000

func newNoopCache() *noopCache { return &noopCache{realms: map[realm.ID]*realmNoops{}} }

// has reports whether the entry is cached and valid as of seq.
func (c *noopCache) has(r realm.ID, seq int64, u user.ID, at readstate.Topic) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.realms[r]
	return m != nil && m.upto >= seq && m.pairs[u][at]
}

// put adds an entry that was determined with a view of seq or later.
func (c *noopCache) put(r realm.ID, seq int64, u user.ID, at readstate.Topic) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.realms[r]
	if m == nil || seq < m.since {
		return
	}
	if c.count++; c.count > maxNoops {
		for _, other := range c.realms {
			clear(other.pairs)
		}
		c.count = 1
	}
	if m.pairs[u] == nil {
		m.pairs[u] = map[readstate.Topic]bool{}
	}
	m.pairs[u][at] = true
}

// invalidate removes entries that may no longer hold, because policies, mutes, settings or messages have changed.
func (c *noopCache) invalidate(_ context.Context, m *event.LogAdvanced) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.realms[m.Realm]
	if known == nil {
		known = &realmNoops{pairs: map[user.ID]map[readstate.Topic]bool{}}
		c.realms[m.Realm] = known
	}
	if len(m.Entries) == 0 { // some entries were not announced
		known.since = m.View.Seq()
		clear(known.pairs)
	}
	for _, e := range m.Entries {
		switch e.Type {
		case message.EventNew, message.EventReaction, message.EventFlags:
			continue
		}
		known.since = int64(e.Seq)
		clear(known.pairs)
	}
	known.upto = m.View.Seq()
	return nil
}
