// Package readstatetest provides an oracle for read state: a model with a row per user and message, like the database
// of a simple server, and random histories to run through both the model and the implementation. Tests compare the two
// after every step.
package readstatetest

import (
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Fixture holds the users and conversations of a history.
type Fixture struct {
	People    []user.ID
	Channels  []message.Recipient
	Private   map[message.Recipient]bool // only subscribers can read them
	Protected map[message.Recipient]bool // of these, channels in which users can read only messages with a row
	Direct    map[message.Recipient]user.Set
	Guests    user.Set // can read only channels to which they subscribe
	Quiet     user.Set // resolve notices are read from the start
}

// Toggle changes whether resolve notices are read from the start for a user.
func (f *Fixture) Toggle(u user.ID) {
	if f.Quiet.Has(u) {
		f.Quiet = f.Quiet.Minus(user.Set{u})
	} else {
		f.Quiet = f.Quiet.Union(user.Set{u})
	}
}

// Row is what a simple server stores per user and message.
type Row struct {
	Received bool // false: created later, by a star or a mark
	Read     bool
	Starred  bool
}

// Sent is the current state of a message.
type Sent struct {
	ID           message.ID
	Recipient    message.Recipient
	Sender       user.ID
	ReadFor      user.ID
	Notice       bool
	MovedChannel bool // was ever moved between channels
}

// Model is the oracle.
type Model struct {
	Fixture
	Messages []*Sent // ascending
	rows     map[user.ID]map[message.ID]*Row
	subs     map[user.ID]map[message.Recipient]bool // false: past subscription
	mutes    map[user.ID]map[user.ID]bool
}

// New returns the model of w before the first step.
func New(w Fixture) *Model {
	m := &Model{Fixture: w, rows: map[user.ID]map[message.ID]*Row{},
		subs: map[user.ID]map[message.Recipient]bool{}, mutes: map[user.ID]map[user.ID]bool{}}
	for _, u := range w.People {
		m.rows[u], m.subs[u], m.mutes[u] = map[message.ID]*Row{}, map[message.Recipient]bool{}, map[user.ID]bool{}
	}
	return m
}

// Row returns a user's row for a message, or nil if there is none.
func (m *Model) Row(u user.ID, id message.ID) *Row { return m.rows[u][id] }

// Subscribed reports whether u takes part in a conversation now.
func (m *Model) Subscribed(u user.ID, r message.Recipient) bool {
	if members, ok := m.Direct[r]; ok {
		return members.Has(u)
	}
	return m.subs[u][r]
}

// Unread returns the IDs of u's unread messages, ascending.
func (m *Model) Unread(u user.ID) []message.ID {
	var out []message.ID
	for _, s := range m.Messages {
		if row := m.rows[u][s.ID]; row != nil && !row.Read {
			out = append(out, s.ID)
		}
	}
	return out
}

// Of returns a message, or nil if it does not exist.
func (m *Model) Of(id message.ID) *Sent {
	i, ok := slices.BinarySearchFunc(m.Messages, id, func(s *Sent, id message.ID) int { return int(s.ID - id) })
	if !ok {
		return nil
	}
	return m.Messages[i]
}

// Outcome is the result of a step, as reported to its user.
type Outcome struct {
	Changed []message.ID        // messages changed by a mark, ascending
	Skipped []message.Recipient // channels without subscription, sorted
}

// Apply applies a step. A Send must contain the ID of the message.
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

// row returns the row, adding one for a message that u has not received.
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

// move moves a message to another channel. Users who were ever subscribed to the old one and are not subscribed to the
// new one lose the row; a protected target adds rows for its subscribers.
func (m *Model) move(s *Sent, to message.Recipient) {
	from := s.Recipient
	s.Recipient, s.MovedChannel = to, true
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
