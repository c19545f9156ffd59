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
// query. Log entries that might change this invalidate it. A node that has not seen such an entry yet behaves as if the
// message had been sent before it.
type noopCache struct {
	mu  sync.Mutex
	of  map[realm.ID]*realmNoops
	all int
}

type realmNoops struct {
	upto  int64 // log position that has been processed
	since int64 // log position of the last complete invalidation
	by    map[user.ID]map[readstate.Topic]bool
}

// maxNoops is the maximum number of entries. When it is exceeded, the cache is cleared.
const maxNoops = 50_000

func newNoopCache() *noopCache { return &noopCache{of: map[realm.ID]*realmNoops{}} }

// has reports whether the entry is cached and valid as of seq.
func (s *noopCache) has(r realm.ID, seq int64, u user.ID, at readstate.Topic) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.of[r]
	return m != nil && m.upto >= seq && m.by[u][at]
}

// put adds an entry that was determined with a view of seq or later.
func (s *noopCache) put(r realm.ID, seq int64, u user.ID, at readstate.Topic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.of[r]
	if m == nil || seq < m.since {
		return
	}
	if s.all++; s.all > maxNoops {
		for _, other := range s.of {
			clear(other.by)
		}
		s.all = 1
	}
	if m.by[u] == nil {
		m.by[u] = map[readstate.Topic]bool{}
	}
	m.by[u][at] = true
}

// moved invalidates entries that policies, mutes, settings or messages may have changed.
func (s *noopCache) moved(_ context.Context, m *event.Moved) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.of[m.Realm]
	if known == nil {
		known = &realmNoops{by: map[user.ID]map[readstate.Topic]bool{}}
		s.of[m.Realm] = known
	}
	if len(m.Entries) == 0 { // some entries were not announced
		known.since = m.View.Seq()
		clear(known.by)
	}
	for _, e := range m.Entries {
		switch e.Type {
		case message.EventNew, message.EventReaction, message.EventFlags:
			continue
		}
		known.since = int64(e.Seq)
		clear(known.by)
	}
	known.upto = m.View.Seq()
	return nil
}
