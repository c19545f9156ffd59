package readstate

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
)

// cache keeps facts in memory, in chunks of 65,536 IDs, so that neither /register nor a query for unread messages has
// to read their rows. Chunks are filled from committed rows when they are requested. Within a realm, messages are
// committed in the order of their IDs, so a chunk only grows at its end. Log entries about changed or deleted messages
// evict the affected chunks. A view exists before the cache receives its log entries, so a chunk is used only with
// views for which it is known to be valid.
type cache struct {
	facts         factStore
	mu            sync.Mutex
	tick          int64
	entries       map[chunkKey]*cachedChunk
	packThreshold int               // threshold for packing, in rows
	toPack        map[chunkKey]bool // chunks worth packing
}

type cachedChunk struct {
	*facts
	validFrom int64 // log position of the read; older views may contain messages missing here
	validTo   int64 // log position up to which no entry affected the chunk
	used      int64 // tick of the last use
	complete  bool  // the realm will have no more messages in the chunk
}

// maxChunks is the maximum number of chunks in memory. A full chunk takes about 0.7 MB.
const maxChunks = 64

type chunkKey struct {
	Realm realm.ID
	Chunk readstate.Chunk
}

// worthPacking is the number of rows that take as long to read as to pack.
const worthPacking = 4096

func newCache(s factStore) *cache {
	return &cache{facts: s, entries: map[chunkKey]*cachedChunk{}, packThreshold: worthPacking, toPack: map[chunkKey]bool{}}
}

// chunk returns a realm's committed messages in a chunk. The transaction must be at least as new as the view. complete
// means that the transaction sees messages of the realm in later chunks, so that this one no longer grows. read reports
// whether the transaction has read messages of the chunk itself: those from memory may be newer than what it sees.
func (c *cache) chunk(
	ctx context.Context, v *directory.View, r realm.ID, n readstate.Chunk, complete bool,
) (f *facts, read bool, err error) {
	k := chunkKey{r, n}
	cached, whole := c.get(k, v.Seq())
	if cached == nil {
		loaded, err := c.facts.chunk(ctx, r, n)
		if err != nil {
			return nil, false, err
		}
		c.put(k, loaded, v.Seq(), complete)
		return loaded, len(loaded.list) > 0, nil
	}
	if whole {
		return cached, false, nil
	}
	more, err := c.facts.span(ctx, r, cached.last(), (n+1).First()-1)
	if err != nil || len(more) == 0 && !complete {
		return cached, false, err
	}
	loaded := cached.with(more)
	c.replaceGrown(k, cached, loaded, complete)
	return loaded, len(more) > 0, nil
}

// chunks holds the chunks that a request uses. Each is fetched only once, so that indexes into it stay valid.
type chunks struct {
	cache  *cache
	view   *directory.View
	realm  realm.ID
	loaded map[readstate.Chunk]*facts
	last   readstate.Chunk // the last one of which the transaction has read messages
}

func (c *cache) chunks(v *directory.View, r realm.ID) *chunks {
	return &chunks{c, v, r, map[readstate.Chunk]*facts{}, -1}
}

func (c *chunks) get(ctx context.Context, n readstate.Chunk) (*facts, error) {
	if f := c.loaded[n]; f != nil {
		return f, nil
	}
	f, read, err := c.cache.chunk(ctx, c.view, c.realm, n, n < c.last)
	if err != nil {
		return nil, err
	}
	if c.loaded[n] = f; read {
		c.last = max(c.last, n)
	}
	return f, nil
}

// takeWorthPacking returns the chunks that have become worth packing since the last call.
func (c *cache) takeWorthPacking() []chunkKey {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Collect(maps.Keys(c.toPack))
	clear(c.toPack)
	return all
}

// get returns the cached chunk if it is valid at seq, and whether it is complete.
func (c *cache) get(k chunkKey, seq int64) (f *facts, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.entries[k]
	if h == nil || seq < h.validFrom || h.validTo < seq {
		return nil, false
	}
	c.tick++
	h.used = c.tick
	return h.facts, h.complete
}

// put caches a chunk that was read with the view at log position seq.
func (c *cache) put(k chunkKey, f *facts, seq int64, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.entries[k]; h != nil && h.validTo > seq {
		return
	}
	c.tick++
	c.entries[k] = &cachedChunk{facts: f, validFrom: seq, validTo: seq, used: c.tick, complete: complete}
	c.noteWorthPacking(k, f)
	for len(c.entries) > maxChunks {
		oldest := k
		for other, h := range c.entries {
			if h.used < c.entries[oldest].used {
				oldest = other
			}
		}
		delete(c.entries, oldest)
	}
}

// replaceGrown replaces the chunk old by grown, which may have more messages, unless old was evicted in the meantime.
func (c *cache) replaceGrown(k chunkKey, old, grown *facts, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.entries[k]; h != nil && h.facts == old {
		h.facts, h.complete = grown, complete
		c.noteWorthPacking(k, grown)
	}
}

// noteWorthPacking records whether a chunk is worth packing. The caller must hold c.mu.
func (c *cache) noteWorthPacking(k chunkKey, f *facts) {
	if f.worthPacking(c.packThreshold) && len(c.toPack) < maxChunks {
		c.toPack[k] = true
	}
}

// markPacked records that the first n messages of a chunk have been packed.
func (c *cache) markPacked(k chunkKey, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.entries[k]; h != nil {
		now := *h.facts
		now.packedCount, now.changedCount = min(n, len(now.list)), 0
		h.facts = &now
	}
}

// logAdvanced evicts the chunks whose messages were changed or deleted, and those for which the cache has missed log
// entries.
func (c *cache) logAdvanced(_ context.Context, m *event.LogAdvanced) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := changedIn(m.Entries)
	for k, h := range c.entries {
		switch {
		case k.Realm != m.Realm:
		case len(m.Entries) == 0, int64(m.Entries[0].Seq) > h.validTo+1, changed.has(k.Chunk):
			delete(c.entries, k)
		default:
			h.validTo = max(h.validTo, m.View.Seq())
		}
	}
	return nil
}
