package readstate

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// places contains the messages of a chunk by conversation, so that finding a user's messages does not require examining
// those of others. It is computed on first use.
type places struct {
	once    sync.Once
	numbers map[message.Recipient]uint16 // indexes into facts.recipients
	ends    []uint32                     // by conversation: the end of its part of indexes
	indexes []uint16                     // indexes into facts.list, by conversation, ascending
	moved   map[uint16][]uint16          // by conversation: indexes of messages that were moved between channels
}

func newFacts(first message.ID) *facts { return &facts{first: first, places: &places{}} }

// byPlace returns the messages by conversation.
func (f *facts) byPlace() *places {
	p := f.places
	if p == nil {
		p = &places{}
	}
	p.once.Do(func() { p.index(f) })
	return p
}

func (p *places) index(f *facts) {
	p.numbers = numbersOf(f.recipients)
	p.ends = make([]uint32, len(f.recipients)+1)
	for i := range f.list {
		p.ends[f.list[i].recipient+1]++
	}
	for n := range f.recipients {
		p.ends[n+1] += p.ends[n]
	}
	p.indexes = make([]uint16, len(f.list))
	for i := range f.list { // ends[n] is the next free position of conversation n, and in the end that of n+1's start
		m := &f.list[i]
		p.indexes[p.ends[m.recipient]] = uint16(i)
		p.ends[m.recipient]++
		if m.bits&uint16(message.MovedChannel) != 0 {
			if p.moved == nil {
				p.moved = map[uint16][]uint16{}
			}
			p.moved[m.recipient] = append(p.moved[m.recipient], uint16(i))
		}
	}
}

// in returns the indexes of the messages of the conversation with the given number.
func (p *places) in(n uint16) []uint16 {
	first := uint32(0)
	if n > 0 {
		first = p.ends[n-1]
	}
	return p.indexes[first:p.ends[n]]
}

// liveIn is a conversation in which a user can have unread messages, and the ID from which on they can be unread,
// unless they were moved.
type liveIn struct {
	recipient message.Recipient
	from      message.ID
}

// live returns the conversations in which a user can have unread messages.
func (p *userState) live() []liveIn {
	var out []liveIn
	for _, r := range inbox.CurrentConversations(&p.Own) {
		if from, any := p.Own.LiveFrom(r); any {
			out = append(out, liveIn{r, from})
		}
	}
	return out
}

// above returns the indexes of at most limit of the newest messages in a chunk that are above the floor, not above
// head, and unread by the rules, in ascending order.
func (p *userState) above(chunk *facts, in []liveIn, head message.ID, limit int) []uint16 {
	var found indexSet
	places := chunk.byPlace()
	for _, at := range in {
		n, any := places.numbers[at.recipient]
		if !any {
			continue
		}
		for _, i := range chunk.from(places.in(n), max(at.from, p.state.Floor+1)) {
			m := &chunk.list[i]
			if m.bits&uint16(message.MovedChannel) == 0 && p.Above(&p.state, chunk.messageAt(i)) {
				found.add(i)
			}
		}
		for _, i := range chunk.from(places.moved[n], p.state.Floor+1) {
			if p.Unread(&p.state, chunk.messageAt(i), false) {
				found.add(i)
			}
		}
	}
	out := found.sorted()
	for len(out) > 0 && chunk.id(out[len(out)-1]) > head {
		out = out[:len(out)-1]
	}
	return out[max(0, len(out)-limit):]
}

// from returns the indexes, which are ascending, of messages whose IDs are at least id.
func (f *facts) from(indexes []uint16, id message.ID) []uint16 {
	at, _ := slices.BinarySearchFunc(indexes, id, func(i uint16, id message.ID) int { return int(f.id(i) - id) })
	return indexes[at:]
}

// indexSet is a set of indexes into a chunk.
type indexSet struct {
	words [1 << readstate.ChunkBits / 64]uint64
	n     int
}

func (s *indexSet) add(i uint16) {
	if bit := uint64(1) << (i % 64); s.words[i/64]&bit == 0 {
		s.words[i/64] |= bit
		s.n++
	}
}

func (s *indexSet) sorted() []uint16 {
	out := make([]uint16, 0, s.n)
	for i := 0; i < len(s.words) && len(out) < s.n; i++ {
		for w := s.words[i]; w != 0; w &= w - 1 {
			out = append(out, uint16(64*i+bits.TrailingZeros64(w)))
		}
	}
	return out
}
