package reading

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
)

// cache keeps the facts of messages in memory, 65,536 ids at a time, so that neither /register nor an unread feed reads the
// rows of what is unread. Only readers fill it, from what is committed: within a realm no message with a lower id ever
// appears later, so a chunk only grows at its end. Entries that change or delete messages drop what they touch.
type cache struct {
	store   store
	mu      sync.Mutex
	tick    int64
	dropped map[realm.ID]int64 // log position at which something was dropped last
	held    map[chunkKey]*facts
	worth   int               // what facts.worth is asked
	wanted  map[chunkKey]bool // that are worth keeping
}

// maxChunks bounds the memory: about 0.7 MB each when full.
const maxChunks = 64

type chunkKey struct {
	Realm realm.ID
	Chunk readstate.Chunk
}

// worthKeeping is of how many rows reading takes as long as it takes to keep them.
const worthKeeping = 4096

func newCache(s store) *cache {
	return &cache{store: s, dropped: map[realm.ID]int64{}, held: map[chunkKey]*facts{}, worth: worthKeeping, wanted: map[chunkKey]bool{}}
}

// chunk gives all committed messages of a realm in a chunk. The rows read must be at least as new as the view.
func (c *cache) chunk(ctx context.Context, v *directory.View, r realm.ID, n readstate.Chunk) (*facts, error) {
	k := chunkKey{r, n}
	had := c.get(k)
	if had == nil {
		now, err := c.store.Chunk(ctx, r, n)
		if err == nil {
			c.put(k, now, v.Seq())
		}
		return now, err
	}
	more, err := c.store.Span(ctx, r, had.last(), (n+1).First()-1)
	if err != nil || len(more) == 0 {
		return had, err
	}
	now := had.with(more)
	c.put(k, now, v.Seq())
	return now, nil
}

// chunks is the chunks that one request works with: each is looked for once, so that places in it stay what they are.
type chunks struct {
	cache *cache
	view  *directory.View
	realm realm.ID
	seen  map[readstate.Chunk]*facts
}

func (c *cache) chunks(v *directory.View, r realm.ID) *chunks {
	return &chunks{c, v, r, map[readstate.Chunk]*facts{}}
}

func (c *chunks) get(ctx context.Context, n readstate.Chunk) (*facts, error) {
	if f := c.seen[n]; f != nil {
		return f, nil
	}
	f, err := c.cache.chunk(ctx, c.view, c.realm, n)
	if err == nil {
		c.seen[n] = f
	}
	return f, err
}

// due gives the chunks that are worth keeping, each once.
func (c *cache) due() []chunkKey {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Collect(maps.Keys(c.wanted))
	clear(c.wanted)
	return all
}

func (c *cache) get(k chunkKey) *facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.held[k]
	if f != nil {
		c.tick++
		f.used = c.tick
	}
	return f
}

func (c *cache) put(k chunkKey, f *facts, seq int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if seq < c.dropped[k.Realm] {
		return
	}
	if had := c.held[k]; had != nil && had.last() > f.last() {
		return
	}
	c.tick++
	f.used = c.tick
	c.held[k] = f
	if f.worth(c.worth) && len(c.wanted) < maxChunks {
		c.wanted[k] = true
	}
	for len(c.held) > maxChunks {
		oldest := k
		for other, f := range c.held {
			if f.used < c.held[oldest].used {
				oldest = other
			}
		}
		delete(c.held, oldest)
	}
}

// moved drops the chunks whose messages have been changed or deleted.
func (c *cache) moved(_ context.Context, m *event.Moved) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range m.Entries {
		if e.Type != "update_message" && e.Type != "delete_message" || onlyLooks(e) {
			continue
		}
		c.dropped[m.Realm] = int64(e.Seq)
		for k := range c.held {
			if k.Realm == m.Realm && k.Chunk >= readstate.ChunkOf(message.ID(e.Ref)) {
				delete(c.held, k)
			}
		}
	}
	return nil
}

// onlyLooks tells whether an entry says that a message was rendered again: nothing that is kept here depends on that, and
// each link that is shown brings one.
func onlyLooks(e event.Entry) bool {
	var of struct {
		Rendering bool `json:"rendering"`
	}
	return json.Unmarshal(e.Payload, &of) == nil && of.Rendering
}
