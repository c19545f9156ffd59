package readstate

import (
	"iter"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
)

// selection is a selection of messages in a chunk, by ascending index. There may be tens of thousands, so they are not
// converted to facts.
type selection struct {
	chunk   *facts
	indexes []uint16
}

// selections is a selection of messages in several chunks, ascending.
type selections []selection

// selectAll selects all of the messages, which must be ascending.
func selectAll(fs []fact) selections {
	var all selections
	for len(fs) > 0 {
		n := readstate.ChunkOf(fs[0].ID)
		end := 1
		for end < len(fs) && readstate.ChunkOf(fs[end].ID) == n {
			end++
		}
		of := selection{newFacts(n.First()).with(fs[:end]), make([]uint16, end)}
		for i := range of.indexes {
			of.indexes[i] = uint16(i)
		}
		all, fs = append(all, of), fs[end:]
	}
	return all
}

func (all selections) count() int {
	n := 0
	for _, p := range all {
		n += len(p.indexes)
	}
	return n
}

// newest limits the selection to the last limit messages.
func (all selections) newest(limit int) selections {
	out := slices.Clone(all)
	for i := range slices.Backward(out) {
		keep := min(limit, len(out[i].indexes))
		out[i].indexes, limit = out[i].indexes[len(out[i].indexes)-keep:], limit-keep
	}
	return out.nonEmpty()
}

// nonEmpty removes chunks without selected messages.
func (all selections) nonEmpty() selections {
	return slices.DeleteFunc(all, func(p selection) bool { return len(p.indexes) == 0 })
}

// in returns the messages of a place.
func (all selections) in(where place) selections {
	var out selections
	for _, p := range all {
		n, any := p.chunk.byPlace().numbers[where.Recipient]
		if !any {
			continue
		}
		topics := make([]bool, len(p.chunk.topics))
		for i, name := range p.chunk.topics {
			topics[i] = where.TopicKey == nil || topic.Key(name) == *where.TopicKey
		}
		of := selection{chunk: p.chunk}
		for _, at := range p.indexes {
			if m := &p.chunk.list[at]; m.recipient == n && topics[m.topic] {
				of.indexes = append(of.indexes, at)
			}
		}
		out = append(out, of)
	}
	return out
}

// ids returns the IDs of the messages.
func (all selections) ids() readstate.IDs {
	out := make(readstate.IDs, 0, all.count())
	for _, p := range all {
		for _, at := range p.indexes {
			out = append(out, p.chunk.id(at))
		}
	}
	return out
}

// messages yields the messages in the form used by domain/readstate.
func (all selections) messages() iter.Seq[readstate.Message] {
	return func(yield func(readstate.Message) bool) {
		for _, p := range all {
			for _, at := range p.indexes {
				if !yield(p.chunk.messageAt(at)) {
					return
				}
			}
		}
	}
}

// conversations returns the conversations that the messages are or were in.
func (all selections) conversations() []message.Recipient {
	var out []message.Recipient
	for _, p := range all {
		seen := make([]bool, len(p.chunk.recipients))
		for _, at := range p.indexes {
			m := &p.chunk.list[at]
			if !seen[m.recipient] {
				seen[m.recipient], out = true, append(out, p.chunk.recipients[m.recipient])
			}
			if m.bits&uint16(message.MovedChannel) != 0 {
				for _, move := range p.chunk.moves[m.low] {
					out = append(out, move.From, move.To)
				}
			}
		}
	}
	return out
}

func (all selections) facts() []fact {
	out := make([]fact, 0, all.count())
	for _, p := range all {
		for _, at := range p.indexes {
			out = append(out, p.chunk.factAt(at))
		}
	}
	return out
}

// join returns the union of all and b.
func (all selections) join(b selections) selections {
	a, out := all, make(selections, 0, len(all)+len(b))
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		switch {
		case x.chunk.first < y.chunk.first:
			out, a = append(out, x), a[1:]
			continue
		case y.chunk.first < x.chunk.first:
			out, b = append(out, y), b[1:]
			continue
		case x.chunk == y.chunk:
			out = append(out, selection{x.chunk, unionIndexes(x.indexes, y.indexes)})
		default: // at least one chunk was built from rows
			out = append(out, selectAll(merge(selections{x}.facts(), selections{y}.facts()))...)
		}
		a, b = a[1:], b[1:]
	}
	return append(append(out, a...), b...)
}

// unionIndexes returns the union of two lists of indexes, ascending.
func unionIndexes(a, b []uint16) []uint16 {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// id returns the ID of the message with an index.
func (f *facts) id(at uint16) message.ID { return f.first + message.ID(f.list[at].low) }

// indexesOf returns the indexes of those of the IDs that exist. ids must be ascending.
func (f *facts) indexesOf(ids readstate.IDs) []uint16 {
	out := make([]uint16, 0, len(ids))
	i := 0
	for _, id := range ids {
		low := uint16(readstate.Low(id))
		for i < len(f.list) && f.list[i].low < low {
			i++
		}
		if i < len(f.list) && f.list[i].low == low {
			out = append(out, uint16(i))
		}
	}
	return out
}
