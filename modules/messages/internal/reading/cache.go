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
	"github.com/stoachat/stoa/domain/user"
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
}

// maxChunks bounds the memory: about 0.7 MB each when full.
const maxChunks = 64

type chunkKey struct {
	Realm realm.ID
	Chunk readstate.Chunk
}

func newCache(s store) *cache {
	return &cache{store: s, dropped: map[realm.ID]int64{}, held: map[chunkKey]*facts{}}
}

// chunk gives all committed messages of a realm in a chunk. The rows read must be at least as new as the view.
func (c *cache) chunk(ctx context.Context, v *directory.View, r realm.ID, n readstate.Chunk) (*facts, error) {
	had := c.get(chunkKey{r, n})
	after := n.First() - 1
	if had != nil {
		after = had.last()
	}
	more, err := c.store.Span(ctx, r, after, (n+1).First()-1)
	if err != nil || len(more) == 0 && had != nil {
		return had, err
	}
	now := had.with(n.First(), more)
	c.put(chunkKey{r, n}, now, v.Seq())
	return now, nil
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

// facts is the messages of one chunk, ascending, ten bytes each. It is immutable but for used.
type facts struct {
	used    int64
	first   message.ID
	list    []packed
	where   []message.Recipient
	who     []user.ID
	topics  []string
	readFor map[uint16]user.ID          // where it is not the sender
	moves   map[uint16][]readstate.Move // of those that have crossed
}

type packed struct{ low, bits, where, who, topic uint16 }

// The bits of packed above those of message.Facts.
const (
	bitReadOther = 1 << 13 // read for somebody in readFor
	bitNotice    = 1 << 14
	bitReadSelf  = 1 << 15 // read for the sender
	bitsOfFacts  = bitReadOther - 1
)

func (f *facts) last() message.ID {
	if len(f.list) == 0 {
		return f.first - 1
	}
	return f.first + message.ID(f.list[len(f.list)-1].low)
}

func (f *facts) at(i int) fact {
	p := f.list[i]
	out := fact{
		ID: f.first + message.ID(p.low), Recipient: f.where[p.where], Sender: f.who[p.who], Topic: f.topics[p.topic],
		Facts: message.Facts(p.bits & bitsOfFacts), Notice: p.bits&bitNotice != 0,
	}
	if out.Facts&message.Crossed != 0 {
		out.Moves = f.moves[p.low]
	}
	switch {
	case p.bits&bitReadSelf != 0:
		out.ReadFor = out.Sender
	case p.bits&bitReadOther != 0:
		out.ReadFor = f.readFor[p.low]
	}
	return out
}

// never is above the ids of all messages.
const never message.ID = 1 << 62

// liveFrom gives, of each conversation of the chunk, from which message on somebody has what is sent there.
func (f *facts) liveFrom(o *readstate.Own) []message.ID {
	from := make([]message.ID, len(f.where))
	for i, in := range f.where {
		id, any := o.LiveFrom(in)
		if !any {
			id = never
		}
		from[i] = id
	}
	return from
}

// from gives the place of the first message with at least that id.
func (f *facts) from(id message.ID) int {
	i, _ := slices.BinarySearchFunc(f.list, id, func(p packed, id message.ID) int { return int(f.first + message.ID(p.low) - id) })
	return i
}

// with gives the chunk that begins at first with more messages at its end. f may be nil.
func (f *facts) with(first message.ID, more []fact) *facts {
	out := &facts{first: first, readFor: map[uint16]user.ID{}, moves: map[uint16][]readstate.Move{}}
	if f != nil {
		out.list = slices.Clone(f.list)
		out.where, out.who, out.topics = slices.Clone(f.where), slices.Clone(f.who), slices.Clone(f.topics)
		maps.Copy(out.readFor, f.readFor)
		maps.Copy(out.moves, f.moves)
	}
	where, who, topics := places(out.where), places(out.who), places(out.topics)
	for _, m := range more {
		p := packed{
			low: uint16(readstate.Low(m.ID)), bits: uint16(m.Facts) & bitsOfFacts,
			where: place16(where, &out.where, m.Recipient), who: place16(who, &out.who, m.Sender), topic: place16(topics, &out.topics, m.Topic),
		}
		if m.Notice {
			p.bits |= bitNotice
		}
		if len(m.Moves) > 0 {
			out.moves[p.low] = m.Moves
		}
		switch m.ReadFor {
		case 0:
		case m.Sender:
			p.bits |= bitReadSelf
		default:
			p.bits |= bitReadOther
			out.readFor[p.low] = m.ReadFor
		}
		out.list = append(out.list, p)
	}
	return out
}

func places[T comparable](list []T) map[T]uint16 {
	m := make(map[T]uint16, len(list))
	for i, x := range list {
		m[x] = uint16(i)
	}
	return m
}

// place16 numbers a value; a chunk has no more messages than there are numbers.
func place16[T comparable](m map[T]uint16, list *[]T, x T) uint16 {
	n, ok := m[x]
	if !ok {
		n = uint16(len(*list))
		m[x], *list = n, append(*list, x)
	}
	return n
}
