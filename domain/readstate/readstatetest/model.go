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
	Private   map[message.Recipient]bool // channels that only their subscribers may read
	Protected map[message.Recipient]bool // of these those whose history only its receivers may read
	Direct    map[message.Recipient]user.Set
	Guests    user.Set // people who may read no channel but where they subscribe
	Quiet     user.Set // people for whom resolve notices are read from the start
}

// Toggle makes resolve notices read from the start for a person, or makes them so no more.
func (w *World) Toggle(u user.ID) {
	if w.Quiet.Has(u) {
		w.Quiet = w.Quiet.Minus(user.Set{u})
	} else {
		w.Quiet = w.Quiet.Union(user.Set{u})
	}
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

// Of gives a message; nil: there is none, or it is gone.
func (m *Model) Of(id message.ID) *Sent {
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
			x := m.Of(id)
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
			m.move(m.Of(id), s.Channel)
		}
	case Policy:
		m.Toggle(s.User)
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

// move takes a message to another channel: whoever was ever subscribed to the old one and is not to the new one loses
// the row; a protected target gives each of its subscribers a row.
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
