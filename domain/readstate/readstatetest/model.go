// Package readstatetest is an oracle for read state: a model that keeps a real row per person and message, as a simple
// server would, and random histories to run it and the real thing through. Tests compare the two after every step.
package readstatetest

import (
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// World is who and what a history is about.
type World struct {
	People    []user.ID
	Channels  []message.Recipient
	Protected map[message.Recipient]bool // channels whose history only its receivers may read
	Direct    map[message.Recipient]user.Set
	Quiet     user.Set // people for whom resolve notices are read from the start
}

// Row is what a simple server stores of one person and message.
type Row struct {
	Received bool // false: made later, by a star or a mark
	Read     bool
	Starred  bool
}

// Sent is a message as it is now.
type Sent struct {
	ID        message.ID
	Recipient message.Recipient
	Sender    user.ID
	ReadFor   user.ID
	Notice    bool
	Crossed   bool // was ever moved
}

// Model is the oracle.
type Model struct {
	World
	Messages []*Sent // ascending
	rows     map[user.ID]map[message.ID]*Row
	subs     map[user.ID]map[message.Recipient]bool // false: was one once
	mutes    map[user.ID]map[user.ID]bool
}

// New makes the model of a world before anything happened.
func New(w World) *Model {
	m := &Model{World: w, rows: map[user.ID]map[message.ID]*Row{},
		subs: map[user.ID]map[message.Recipient]bool{}, mutes: map[user.ID]map[user.ID]bool{}}
	for _, u := range w.People {
		m.rows[u], m.subs[u], m.mutes[u] = map[message.ID]*Row{}, map[message.Recipient]bool{}, map[user.ID]bool{}
	}
	return m
}

// Row gives what a person has of a message; nil: nothing.
func (m *Model) Row(u user.ID, id message.ID) *Row { return m.rows[u][id] }

// Subscribed tells whether u takes part in a conversation now.
func (m *Model) Subscribed(u user.ID, r message.Recipient) bool {
	if who, ok := m.Direct[r]; ok {
		return who.Has(u)
	}
	return m.subs[u][r]
}

// Unread gives the ids that are unread for u, ascending.
func (m *Model) Unread(u user.ID) []message.ID {
	var out []message.ID
	for _, s := range m.Messages {
		if row := m.rows[u][s.ID]; row != nil && !row.Read {
			out = append(out, s.ID)
		}
	}
	return out
}

// Readable tells whether u may read a message now.
func (m *Model) Readable(u user.ID, s *Sent) bool {
	if who, ok := m.Direct[s.Recipient]; ok {
		return who.Has(u)
	}
	return !m.Protected[s.Recipient] || m.subs[u][s.Recipient] && m.rows[u][s.ID] != nil
}

// Hears tells whether u hears of changes of a message (messages.md §4): those who take part in its conversation, in protected
// history if they have it, and others who have it and may read it.
func (m *Model) Hears(u user.ID, s *Sent) bool {
	has := m.rows[u][s.ID] != nil
	if m.Protected[s.Recipient] {
		return has && m.subs[u][s.Recipient]
	}
	_, direct := m.Direct[s.Recipient]
	return m.Subscribed(u, s.Recipient) || has && !direct
}

// Place gives where the messages of a step are; 0: it has none.
func (m *Model) Place(s Step) message.Recipient {
	if len(s.IDs) == 0 {
		return 0
	}
	return m.of(s.IDs[0]).Recipient
}

func (m *Model) of(id message.ID) *Sent {
	i, ok := slices.BinarySearchFunc(m.Messages, id, func(s *Sent, id message.ID) int { return int(s.ID - id) })
	if !ok {
		return nil
	}
	return m.Messages[i]
}

// Outcome is what a step reports to its user.
type Outcome struct {
	Changed []message.ID        // marks that had an effect, ascending
	Skipped []message.Recipient // channels without subscription, sorted
}

// Apply takes a step. A Send must carry the id that the message got.
func (m *Model) Apply(s Step) (out Outcome) {
	switch s.Op {
	case Send:
		sent := s.Message
		m.Messages = append(m.Messages, &sent)
		for _, u := range m.People {
			if m.Subscribed(u, sent.Recipient) {
				read := sent.ReadFor == u || m.mutes[u][sent.Sender] || sent.Notice && m.Quiet.Has(u)
				m.rows[u][sent.ID] = &Row{Received: true, Read: read}
			}
		}
	case Subscribe:
		m.subs[s.User][s.Channel] = true
	case Unsubscribe:
		m.subs[s.User][s.Channel] = false
		out.Changed = m.read(s.User, func(x *Sent) bool { return x.Recipient == s.Channel })
	case Mute:
		m.mutes[s.User][s.Other] = true
		out.Changed = m.read(s.User, func(x *Sent) bool { return x.Sender == s.Other })
	case Unmute:
		m.mutes[s.User][s.Other] = false
	case MarkRead:
		out.Changed = m.read(s.User, func(x *Sent) bool { return slices.Contains(s.IDs, x.ID) })
	case MarkAll:
		m.read(s.User, func(*Sent) bool { return true })
	case MarkUnread:
		for _, id := range s.IDs {
			x := m.of(id)
			if !m.Subscribed(s.User, x.Recipient) {
				out.Skipped = append(out.Skipped, x.Recipient)
				continue
			}
			row := m.row(s.User, id)
			if row.Read {
				row.Read = false
				out.Changed = append(out.Changed, id)
			}
		}
		out.Skipped = idset.Of(out.Skipped...)
	case Star, Unstar:
		for _, id := range s.IDs {
			if s.Op == Unstar && m.rows[s.User][id] == nil {
				continue
			}
			if row := m.row(s.User, id); row.Starred != (s.Op == Star) {
				row.Starred = s.Op == Star
				out.Changed = append(out.Changed, id)
			}
		}
	case Move:
		for _, id := range s.IDs {
			m.move(m.of(id), s.Channel)
		}
	case Delete:
		m.Messages = slices.DeleteFunc(m.Messages, func(x *Sent) bool { return slices.Contains(s.IDs, x.ID) })
		for _, rows := range m.rows {
			for _, id := range s.IDs {
				delete(rows, id)
			}
		}
	}
	return out
}

// row gives the row, and makes one for a message that u has not received.
func (m *Model) row(u user.ID, id message.ID) *Row {
	if m.rows[u][id] == nil {
		m.rows[u][id] = &Row{Read: true}
	}
	return m.rows[u][id]
}

func (m *Model) read(u user.ID, which func(*Sent) bool) (changed []message.ID) {
	for _, s := range m.Messages {
		if row := m.rows[u][s.ID]; row != nil && !row.Read && which(s) {
			row.Read = true
			changed = append(changed, s.ID)
		}
	}
	return changed
}

// move takes a message to another channel (messages.md §10.6): whoever was ever subscribed to the old one and is not to the
// new one loses the row; a protected target gives each of its subscribers a row.
func (m *Model) move(s *Sent, to message.Recipient) {
	from := s.Recipient
	s.Recipient, s.Crossed = to, true
	for _, u := range m.People {
		_, ever := m.subs[u][from]
		switch {
		case !m.subs[u][to] && ever:
			delete(m.rows[u], s.ID)
		case m.subs[u][to] && m.Protected[to]:
			m.row(u, s.ID).Received = true
		}
	}
}
