package readstate

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/message"
)

// ChunkBits is how many low bits of a message id are within a chunk: the sets are stored in rows of 65,536 ids, so that
// a mark rewrites little.
const ChunkBits = 16

// Chunk numbers the row that an id belongs to.
type Chunk int64

// ChunkOf gives the chunk of an id.
func ChunkOf(id message.ID) Chunk { return Chunk(id >> ChunkBits) }

// First gives the lowest id of a chunk.
func (c Chunk) First() message.ID { return message.ID(c) << ChunkBits }

// Low gives the place of an id within its chunk.
func Low(id message.ID) uint32 { return uint32(id & (1<<ChunkBits - 1)) }

// Cut gives the part of ids that belongs to a chunk.
func (c Chunk) Cut(ids IDs) IDs {
	rest := ids.From(c.First())
	return rest[:c.end(rest)]
}

// end gives how many of ids, which are ascending, lie in c or below. The id after c may be more than an id can be.
func (c Chunk) end(ids IDs) int {
	n, _ := slices.BinarySearchFunc(ids, c, func(id message.ID, c Chunk) int {
		if ChunkOf(id) == c {
			return -1
		}
		return cmp.Compare(ChunkOf(id), c)
	})
	return n
}

// Chunks gives the chunks that ids touch, ascending.
func Chunks(ids IDs) []Chunk {
	var out []Chunk
	for len(ids) > 0 {
		c := ChunkOf(ids[0])
		out = append(out, c)
		ids = ids[c.end(ids):]
	}
	return out
}

// Chunks gives the chunks in which s and t differ, ascending: what a change must store.
func (s *State) Chunks(t *State) []Chunk {
	all := slices.Concat(Chunks(s.Unread), Chunks(t.Unread), Chunks(s.Read), Chunks(t.Read))
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(c Chunk) bool {
		return slices.Equal(c.Cut(s.Unread), c.Cut(t.Unread)) && slices.Equal(c.Cut(s.Read), c.Cut(t.Read))
	})
}
