package readstatetest

import (
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Readable reports whether u can currently read a message.
func (m *Model) Readable(u user.ID, s *Sent) bool {
	if members, ok := m.Direct[s.Recipient]; ok {
		return members.Has(u)
	}
	if !m.subs[u][s.Recipient] && (m.Private[s.Recipient] || m.Guests.Has(u)) {
		return false
	}
	return !m.Protected[s.Recipient] || m.rows[u][s.ID] != nil
}

// Notified reports whether u receives events about a message: participants of its conversation do, in protected history
// only those with a row; in a public channel also other users with a row, except guests.
func (m *Model) Notified(u user.ID, s *Sent) bool {
	has := m.rows[u][s.ID] != nil
	if m.Subscribed(u, s.Recipient) {
		return has || !m.Protected[s.Recipient]
	}
	_, direct := m.Direct[s.Recipient]
	return has && !direct && !m.Private[s.Recipient] && !m.Guests.Has(u)
}

// Admits reports whether an operation of u can include a message, even if it is deleted. Users who received a message
// and left its channel can name it in MarkUnread, which then reports the channel as skipped.
func (m *Model) Admits(u user.ID, op Op, id message.ID) bool {
	if op != MarkUnread && op != Star {
		return true
	}
	s := m.Of(id)
	row := m.rows[u][id]
	return s != nil && (m.Readable(u, s) || op == MarkUnread && row != nil && row.Received)
}
