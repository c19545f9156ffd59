package readstate

import (
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// facts holds the messages of one chunk in ascending order, ten bytes each. It is immutable.
type facts struct {
	first   message.ID
	list    []packed
	where   []message.Recipient
	who     []user.ID
	topics  []string
	readFor map[uint16]user.ID          // by offset; users other than the sender
	moves   map[uint16][]readstate.Move // by offset; for messages that were moved between channels

	kept    int // number of messages in list that were read in packed form
	changed int // number of these messages that had changed since they were packed
}

type packed struct{ low, bits, where, who, topic uint16 }

// Bits of packed.bits above those of message.Facts.
const (
	bitReadOther = 1 << 13 // initially read for the user in readFor
	bitNotice    = 1 << 14
	bitReadSelf  = 1 << 15 // initially read for the sender
	bitsOfFacts  = bitReadOther - 1
)

func (f *facts) last() message.ID {
	if len(f.list) == 0 {
		return f.first - 1
	}
	return f.first + message.ID(f.list[len(f.list)-1].low)
}

// at returns the message with an index.
func (f *facts) at(i uint16) fact {
	p, m := f.list[i], f.rule(i)
	return fact{
		ID: m.ID, Recipient: m.Recipient, Sender: m.Sender, ReadFor: m.ReadFor, Notice: m.Notice, Moves: m.Moves,
		Topic: f.topics[p.topic], Facts: message.Facts(p.bits & bitsOfFacts),
	}
}

// rule returns the message with an index, in the form that the rules of domain/readstate use.
func (f *facts) rule(i uint16) readstate.Message {
	p := &f.list[i]
	m := readstate.Message{
		ID:        f.first + message.ID(p.low),
		Recipient: f.where[p.where],
		Sender:    f.who[p.who],
		Notice:    p.bits&bitNotice != 0,
	}
	switch {
	case p.bits&bitReadSelf != 0:
		m.ReadFor = m.Sender
	case p.bits&bitReadOther != 0:
		m.ReadFor = f.readFor[p.low]
	}
	if p.bits&uint16(message.Crossed) != 0 {
		m.Moves = f.moves[p.low]
	}
	return m
}

// liveFrom returns, for each conversation of the chunk, the ID from which on the owner of an inbox receives its
// messages.
func (f *facts) liveFrom(o *readstate.Inbox) []message.ID {
	from := make([]message.ID, len(f.where))
	for i, in := range f.where {
		id, any := o.LiveFrom(in)
		if !any {
			id = message.MaxID
		}
		from[i] = id
	}
	return from
}

// from returns the index of the first message whose ID is at least id.
func (f *facts) from(id message.ID) int {
	i, _ := slices.BinarySearchFunc(
		f.list,
		id,
		func(p packed, id message.ID) int { return int(f.first + message.ID(p.low) - id) },
	)
	return i
}

// changedCost is the number of consecutive rows that take as long to read as a single changed row.
const changedCost = 20

// worthPacking reports whether the chunk should be packed because reading it cost as much as reading the given number
// of rows.
func (f *facts) worthPacking(rows int) bool { return len(f.list)-f.kept+changedCost*f.changed >= rows }

// with returns the chunk with more messages appended.
func (f *facts) with(more []fact) *facts {
	if len(more) == 0 {
		return f
	}
	out := f.builder()
	out.list = slices.Grow(out.list, len(more))
	for _, m := range more {
		out.list = append(out.list, out.packed(m))
	}
	return out.facts
}

// renewed returns the chunk with the messages of ids replaced by now, which must be ascending. Messages that are not in
// now are removed.
func (f *facts) renewed(ids idset.Set[message.ID], now []fact) *facts {
	if len(ids) == 0 {
		return f
	}
	out := f.builder()
	out.drop(ids)
	list := make([]packed, 0, len(out.list)+len(now))
	for _, p := range out.list {
		for len(now) > 0 && uint16(readstate.Low(now[0].ID)) < p.low {
			list, now = append(list, out.packed(now[0])), now[1:]
		}
		list = append(list, p)
	}
	for _, m := range now {
		list = append(list, out.packed(m))
	}
	out.list, out.kept, out.changed = list, len(list), len(ids)
	return out.facts
}

// factsBuilder is a mutable copy of facts with the numbers of all values.
type factsBuilder struct {
	*facts
	places   map[message.Recipient]uint16
	people   map[user.ID]uint16
	subjects map[string]uint16
}

// builder returns a mutable copy of f.
func (f *facts) builder() factsBuilder {
	out := &facts{
		first:   f.first,
		kept:    f.kept,
		changed: f.changed,
		readFor: map[uint16]user.ID{},
		moves:   map[uint16][]readstate.Move{},
	}
	out.list = slices.Clone(f.list)
	out.where, out.who, out.topics = slices.Clone(f.where), slices.Clone(f.who), slices.Clone(f.topics)
	maps.Copy(out.readFor, f.readFor)
	maps.Copy(out.moves, f.moves)
	return factsBuilder{out, numbersOf(out.where), numbersOf(out.who), numbersOf(out.topics)}
}

// drop removes messages and the values that become unused, so that the numbers of 16 bits always suffice.
func (f *factsBuilder) drop(ids idset.Set[message.ID]) {
	for _, id := range ids {
		delete(f.readFor, uint16(readstate.Low(id)))
		delete(f.moves, uint16(readstate.Low(id)))
	}
	f.list = slices.DeleteFunc(f.list, func(p packed) bool { return ids.Has(f.first + message.ID(p.low)) })
	f.where = renumbered(f.list, f.where, func(p *packed) *uint16 { return &p.where })
	f.who = renumbered(f.list, f.who, func(p *packed) *uint16 { return &p.who })
	f.topics = renumbered(f.list, f.topics, func(p *packed) *uint16 { return &p.topic })
	f.places, f.people, f.subjects = numbersOf(f.where), numbersOf(f.who), numbersOf(f.topics)
}

// renumbered returns the values that a list uses and assigns them new numbers in the list.
func renumbered[T any](list []packed, values []T, number func(*packed) *uint16) []T {
	to := make(map[uint16]uint16, len(values))
	var out []T
	for i := range list {
		n := number(&list[i])
		now, known := to[*n]
		if !known {
			now = uint16(len(out))
			to[*n], out = now, append(out, values[*n])
		}
		*n = now
	}
	return out
}

// packed converts a message to an element of list.
func (f *factsBuilder) packed(m fact) packed {
	p := packed{
		low: uint16(readstate.Low(m.ID)), bits: uint16(m.Facts) & bitsOfFacts,
		where: numberOf(
			f.places,
			&f.where,
			m.Recipient,
		), who: numberOf(f.people, &f.who, m.Sender), topic: numberOf(f.subjects, &f.topics, m.Topic),
	}
	if m.Notice {
		p.bits |= bitNotice
	}
	if len(m.Moves) > 0 {
		f.moves[p.low] = m.Moves
	}
	switch m.ReadFor {
	case 0:
	case m.Sender:
		p.bits |= bitReadSelf
	default:
		p.bits |= bitReadOther
		f.readFor[p.low] = m.ReadFor
	}
	return p
}

func numbersOf[T comparable](list []T) map[T]uint16 {
	m := make(map[T]uint16, len(list))
	for i, x := range list {
		m[x] = uint16(i)
	}
	return m
}

// numberOf returns the number of a value, adding the value if necessary. 16 bits suffice, since a chunk has at most
// 65,536 messages.
func numberOf[T comparable](m map[T]uint16, list *[]T, x T) uint16 {
	n, ok := m[x]
	if !ok {
		n = uint16(len(*list))
		m[x], *list = n, append(*list, x)
	}
	return n
}
