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

// cache keeps the facts of messages in memory, 65,536 ids at a time, so that neither /register nor an unread feed reads
// the rows of what is unread. Only readers fill it, from what is committed: within a realm no message with a lower id
// ever appears later, so a chunk only grows at its end. Entries that change or delete messages drop what they touch. A
// view is there before they are told, so what is held is only for views that it is known to be as new as.
type cache struct {
	store  store
	mu     sync.Mutex
	tick   int64
	held   map[chunkKey]*held
	worth  int               // what facts.worth is asked
	wanted map[chunkKey]bool // that are worth keeping
}

type held struct {
	*facts
	from int64 // the log position that they were read at: for older views they may lack what is gone since
	upto int64 // and up to which nothing has touched them
	used int64
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
	return &cache{store: s, held: map[chunkKey]*held{}, worth: worthKeeping, wanted: map[chunkKey]bool{}}
}

// chunk gives all committed messages of a realm in a chunk. The rows read must be at least as new as the view.
func (c *cache) chunk(ctx context.Context, v *directory.View, r realm.ID, n readstate.Chunk) (*facts, error) {
	k := chunkKey{r, n}
	had := c.get(k, v.Seq())
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
	c.grown(k, had, now)
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

// get gives what is held, if it is what is right at seq.
func (c *cache) get(k chunkKey, seq int64) *facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.held[k]
	if h == nil || seq < h.from || h.upto < seq {
		return nil
	}
	c.tick++
	h.used = c.tick
	return h.facts
}

// put holds what was read by somebody with the view of seq.
func (c *cache) put(k chunkKey, f *facts, seq int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.held[k]; h != nil && h.upto > seq {
		return
	}
	c.tick++
	c.held[k] = &held{facts: f, from: seq, upto: seq, used: c.tick}
	c.want(k, f)
	for len(c.held) > maxChunks {
		oldest := k
		for other, h := range c.held {
			if h.used < c.held[oldest].used {
				oldest = other
			}
		}
		delete(c.held, oldest)
	}
}

// grown holds what had was made to, unless something has touched it meanwhile.
func (c *cache) grown(k chunkKey, had, now *facts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.held[k]; h != nil && h.facts == had {
		h.facts = now
		c.want(k, now)
	}
}

// want notes that a chunk is worth keeping, if it is. c.mu is held.
func (c *cache) want(k chunkKey, f *facts) {
	if f.worth(c.worth) && len(c.wanted) < maxChunks {
		c.wanted[k] = true
	}
}

// packed notes that the first n messages of a chunk are kept packed.
func (c *cache) packed(k chunkKey, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.held[k]; h != nil {
		now := *h.facts
		now.kept, now.anew = min(n, len(now.list)), 0
		h.facts = &now
	}
}

// moved drops the chunks whose messages have been changed or deleted; all of which it has not heard of everything.
func (c *cache) moved(_ context.Context, m *event.Moved) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := changedFrom(m.Entries)
	for k, h := range c.held {
		switch {
		case k.Realm != m.Realm:
		case len(m.Entries) == 0, int64(m.Entries[0].Seq) > h.upto+1, k.Chunk >= from:
			delete(c.held, k)
		default:
			h.upto = max(h.upto, m.View.Seq())
		}
	}
	return nil
}

// changedFrom gives the first of the chunks in which messages may have changed: an entry names the lowest that it is
// about.
func changedFrom(es []event.Entry) readstate.Chunk {
	from := readstate.ChunkOf(never)
	for _, e := range es {
		if (e.Type == "update_message" || e.Type == "delete_message") && !onlyLooks(e) {
			from = min(from, readstate.ChunkOf(message.ID(e.Ref)))
		}
	}
	return from
}

// onlyLooks tells whether an entry says that a message was rendered again: nothing that is kept here depends on that,
// and each link that is shown brings one.
func onlyLooks(e event.Entry) bool {
	var of struct {
		Rendering bool `json:"rendering"`
	}
	return json.Unmarshal(e.Payload, &of) == nil && of.Rendering
}
