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
	first      message.ID
	list       []packedMessage
	recipients []message.Recipient
	senders    []user.ID
	topics     []string
	places     *places                     // see byPlace
	readFor    map[uint16]user.ID          // by offset; users other than the sender
	moves      map[uint16][]readstate.Move // by offset; for messages that were moved between channels

	packedCount  int // number of messages in list that were read in packed form
	changedCount int // number of these messages that had changed since they were packed
}

// packedMessage is a message of a chunk. recipient, sender and topic are indexes into the lists of facts.
type packedMessage struct{ low, bits, recipient, sender, topic uint16 }

// Bits of packedMessage.bits above those of message.Facts.
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

// factAt returns the message at an index.
func (f *facts) factAt(i uint16) fact {
	p, m := f.list[i], f.messageAt(i)
	return fact{
		ID: m.ID, Recipient: m.Recipient, Sender: m.Sender, ReadFor: m.ReadFor, Notice: m.Notice, Moves: m.Moves,
		Topic: f.topics[p.topic], Facts: message.Facts(p.bits & bitsOfFacts),
	}
}

// messageAt returns the message at an index, in the form used by domain/readstate.
func (f *facts) messageAt(i uint16) readstate.Message {
	p := &f.list[i]
	m := readstate.Message{
		ID:        f.first + message.ID(p.low),
		Recipient: f.recipients[p.recipient],
		Sender:    f.senders[p.sender],
		Notice:    p.bits&bitNotice != 0,
	}
	switch {
	case p.bits&bitReadSelf != 0:
		m.ReadFor = m.Sender
	case p.bits&bitReadOther != 0:
		m.ReadFor = f.readFor[p.low]
	}
	if p.bits&uint16(message.MovedChannel) != 0 {
		m.Moves = f.moves[p.low]
	}
	return m
}

// changedCost is the number of consecutive rows that take as long to read as a single changed row.
const changedCost = 20

// worthPacking reports whether the chunk should be packed because reading it cost as much as reading the given number
// of rows.
func (f *facts) worthPacking(rows int) bool {
	return len(f.list)-f.packedCount+changedCost*f.changedCount >= rows
}

// with returns the chunk with more messages appended.
func (f *facts) with(more []fact) *facts {
	if len(more) == 0 {
		return f
	}
	out := f.builder()
	out.list = slices.Grow(out.list, len(more))
	for _, m := range more {
		out.list = append(out.list, out.pack(m))
	}
	return out.facts
}

// withReplaced returns the chunk with the messages in ids replaced by those in now, which must be ascending. Messages
// that now does not contain are removed.
func (f *facts) withReplaced(ids idset.Set[message.ID], now []fact) *facts {
	if len(ids) == 0 {
		return f
	}
	out := f.builder()
	out.drop(ids)
	list := make([]packedMessage, 0, len(out.list)+len(now))
	for _, p := range out.list {
		for len(now) > 0 && uint16(readstate.Low(now[0].ID)) < p.low {
			list, now = append(list, out.pack(now[0])), now[1:]
		}
		list = append(list, p)
	}
	for _, m := range now {
		list = append(list, out.pack(m))
	}
	out.list, out.packedCount, out.changedCount = list, len(list), len(ids)
	return out.facts
}

// factsBuilder is a mutable copy of facts. Its maps contain the index of each value in the lists of facts.
type factsBuilder struct {
	*facts
	recipientNumbers map[message.Recipient]uint16
	senderNumbers    map[user.ID]uint16
	topicNumbers     map[string]uint16
}

// builder returns a mutable copy of f.
func (f *facts) builder() factsBuilder {
	out := newFacts(f.first)
	out.packedCount, out.changedCount = f.packedCount, f.changedCount
	out.readFor, out.moves = map[uint16]user.ID{}, map[uint16][]readstate.Move{}
	out.list = slices.Clone(f.list)
	out.recipients, out.senders, out.topics = slices.Clone(f.recipients), slices.Clone(f.senders), slices.Clone(f.topics)
	maps.Copy(out.readFor, f.readFor)
	maps.Copy(out.moves, f.moves)
	return factsBuilder{out, numbersOf(out.recipients), numbersOf(out.senders), numbersOf(out.topics)}
}

// drop removes messages and the values that become unused, so that 16-bit numbers always suffice.
func (f *factsBuilder) drop(ids idset.Set[message.ID]) {
	for _, id := range ids {
		delete(f.readFor, uint16(readstate.Low(id)))
		delete(f.moves, uint16(readstate.Low(id)))
	}
	f.list = slices.DeleteFunc(f.list, func(p packedMessage) bool { return ids.Has(f.first + message.ID(p.low)) })
	f.recipients = renumbered(f.list, f.recipients, func(p *packedMessage) *uint16 { return &p.recipient })
	f.senders = renumbered(f.list, f.senders, func(p *packedMessage) *uint16 { return &p.sender })
	f.topics = renumbered(f.list, f.topics, func(p *packedMessage) *uint16 { return &p.topic })
	f.recipientNumbers, f.senderNumbers = numbersOf(f.recipients), numbersOf(f.senders)
	f.topicNumbers = numbersOf(f.topics)
}

// renumbered returns the values that a list uses and assigns them new numbers in the list.
func renumbered[T any](list []packedMessage, values []T, number func(*packedMessage) *uint16) []T {
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

// pack converts a message to an element of list.
func (f *factsBuilder) pack(m fact) packedMessage {
	p := packedMessage{
		low:       uint16(readstate.Low(m.ID)),
		bits:      uint16(m.Facts) & bitsOfFacts,
		recipient: numberOf(f.recipientNumbers, &f.recipients, m.Recipient),
		sender:    numberOf(f.senderNumbers, &f.senders, m.Sender),
		topic:     numberOf(f.topicNumbers, &f.topics, m.Topic),
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
