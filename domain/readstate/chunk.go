package readstate

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/message"
)

// ChunkBits is the number of low bits of a message id within a chunk. Sets are stored in rows of 65,536 ids, so that a
// mark rewrites little.
const ChunkBits = 16

// Chunk is the number of the row that an id belongs to.
type Chunk int64

// ChunkOf returns the chunk of an id.
func ChunkOf(id message.ID) Chunk { return Chunk(id >> ChunkBits) }

// First returns the lowest id of a chunk.
func (c Chunk) First() message.ID { return message.ID(c) << ChunkBits }

// Low returns the offset of an id within its chunk.
func Low(id message.ID) uint32 { return uint32(id & (1<<ChunkBits - 1)) }

// Cut returns the part of ids that belongs to a chunk.
func (c Chunk) Cut(ids IDs) IDs {
	rest := ids.From(c.First())
	return rest[:c.end(rest)]
}

// end returns how many of ids, which are ascending, are in c or below. The id after c may overflow.
func (c Chunk) end(ids IDs) int {
	n, _ := slices.BinarySearchFunc(ids, c, func(id message.ID, c Chunk) int {
		if ChunkOf(id) == c {
			return -1
		}
		return cmp.Compare(ChunkOf(id), c)
	})
	return n
}

// Chunks returns the chunks of ids, ascending.
func Chunks(ids IDs) []Chunk {
	var out []Chunk
	for len(ids) > 0 {
		c := ChunkOf(ids[0])
		out = append(out, c)
		ids = ids[c.end(ids):]
	}
	return out
}

// Chunks returns the chunks in which s and t differ, ascending: those that have to be stored.
func (s *State) Chunks(t *State) []Chunk {
	all := slices.Concat(Chunks(s.Unread), Chunks(t.Unread), Chunks(s.Read), Chunks(t.Read))
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(c Chunk) bool {
		return slices.Equal(c.Cut(s.Unread), c.Cut(t.Unread)) && slices.Equal(c.Cut(s.Read), c.Cut(t.Read))
	})
}
