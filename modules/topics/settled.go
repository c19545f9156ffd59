package topics

import (
	"context"
	"sync"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// settled remembers for whom a further message in a topic raises no policy: for most messages this is so, and they then
// cost nothing here. What might change it makes it forget. A node that has not yet heard of a change elsewhere goes by
// what was: as if the message had been sent before.
type settled struct {
	mu  sync.Mutex
	of  map[realm.ID]*settledRealm
	all int
}

type settledRealm struct {
	upto  int64 // log position that has been looked at
	since int64 // and that at which everything was forgotten last
	by    map[user.ID]map[readstate.Topic]bool
}

// maxSettled bounds the memory; when it is full everything is forgotten.
const maxSettled = 50_000

func newSettled() *settled { return &settled{of: map[realm.ID]*settledRealm{}} }

// has tells whether it is known as of seq.
func (s *settled) has(r realm.ID, seq int64, u user.ID, at readstate.Topic) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.of[r]
	return m != nil && m.upto >= seq && m.by[u][at]
}

// put remembers what was found out with the view of seq, or later.
func (s *settled) put(r realm.ID, seq int64, u user.ID, at readstate.Topic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.of[r]
	if m == nil || seq < m.since {
		return
	}
	if s.all++; s.all > maxSettled {
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

// moved forgets what the entries may have changed: a policy, a mute, a setting, which messages there are.
func (s *settled) moved(_ context.Context, m *event.Moved) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.of[m.Realm]
	if known == nil {
		known = &settledRealm{by: map[user.ID]map[readstate.Topic]bool{}}
		s.of[m.Realm] = known
	}
	if len(m.Entries) == 0 { // not all that has happened was told
		known.since = m.View.Seq()
		clear(known.by)
	}
	for _, e := range m.Entries {
		switch e.Type {
		case "message", "reaction", "update_message_flags":
			continue
		}
		known.since = int64(e.Seq)
		clear(known.by)
	}
	known.upto = m.View.Seq()
	return nil
}
