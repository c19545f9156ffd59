package readstatetest

import (
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Readable tells whether u may read a message now.
func (m *Model) Readable(u user.ID, s *Sent) bool {
	if who, ok := m.Direct[s.Recipient]; ok {
		return who.Has(u)
	}
	if !m.subs[u][s.Recipient] && (m.Private[s.Recipient] || m.Guests.Has(u)) {
		return false
	}
	return !m.Protected[s.Recipient] || m.rows[u][s.ID] != nil
}

// Hears tells whether u hears of changes of a message: those who take part in its conversation, in protected history if
// they have it; of a public channel others too who have it, but no guests.
func (m *Model) Hears(u user.ID, s *Sent) bool {
	has := m.rows[u][s.ID] != nil
	if m.Subscribed(u, s.Recipient) {
		return has || !m.Protected[s.Recipient]
	}
	_, direct := m.Direct[s.Recipient]
	return has && !direct && !m.Private[s.Recipient] && !m.Guests.Has(u)
}

// Admits tells whether u's mark may name a message, be it gone. Whoever has received it and left its channel is told
// that there nothing can be unread.
func (m *Model) Admits(u user.ID, op Op, id message.ID) bool {
	if op != MarkUnread && op != Star {
		return true
	}
	s := m.Of(id)
	row := m.rows[u][id]
	return s != nil && (m.Readable(u, s) || op == MarkUnread && row != nil && row.Received)
}
