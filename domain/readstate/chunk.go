package readstate

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/message"
)

// ChunkBits is the number of low bits of a message ID that identify it within its chunk. Sets of messages are stored in
// one row per chunk of 65,536 IDs, so that marking a message rewrites little.
const ChunkBits = 16

// Chunk is the number of the row to which a message ID belongs.
type Chunk int64

// ChunkOf returns the chunk of a message ID.
func ChunkOf(id message.ID) Chunk { return Chunk(id >> ChunkBits) }

// First returns the lowest ID of a chunk.
func (c Chunk) First() message.ID { return message.ID(c) << ChunkBits }

// Low returns the offset of an ID within its chunk.
func Low(id message.ID) uint32 { return uint32(id & (1<<ChunkBits - 1)) }

// Cut returns the IDs that belong to c.
func (c Chunk) Cut(ids IDs) IDs {
	rest := ids.From(c.First())
	return rest[:c.end(rest)]
}

// end returns the number of IDs, which are ascending, in c or lower chunks. It does not compare them with the first ID
// after c, which may overflow.
func (c Chunk) end(ids IDs) int {
	n, _ := slices.BinarySearchFunc(ids, c, func(id message.ID, c Chunk) int {
		if ChunkOf(id) == c {
			return -1
		}
		return cmp.Compare(ChunkOf(id), c)
	})
	return n
}

// Chunks returns the chunks to which the IDs belong, ascending.
func Chunks(ids IDs) []Chunk {
	var out []Chunk
	for len(ids) > 0 {
		c := ChunkOf(ids[0])
		out = append(out, c)
		ids = ids[c.end(ids):]
	}
	return out
}

// Chunks returns the chunks in which s and t differ, ascending. They are the ones to store after a change.
func (s *State) Chunks(t *State) []Chunk {
	all := slices.Concat(Chunks(s.Unread), Chunks(t.Unread), Chunks(s.Read), Chunks(t.Read))
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(c Chunk) bool {
		return slices.Equal(c.Cut(s.Unread), c.Cut(t.Unread)) && slices.Equal(c.Cut(s.Read), c.Cut(t.Read))
	})
}
