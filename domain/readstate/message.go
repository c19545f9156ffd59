package readstate

import (
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Message holds the properties of a message that determine its read state.
type Message struct {
	ID        message.ID
	Recipient message.Recipient // current conversation
	Sender    user.ID
	ReadFor   user.ID // the one user for whom it is read from the start, or 0
	Notice    bool    // a resolve notice
	Moves     []Move  // between channels, oldest first
}

// Move is a move of a message between channels.
type Move struct {
	Message     message.ID
	Seq         int64 // of the log entry
	From, To    message.Recipient
	ToProtected bool // the target's history was protected
}

// Of converts a message; moves are the moves of this message, oldest first.
func Of(m message.Message, moves []Move) Message {
	return Message{
		ID:        m.ID,
		Recipient: m.Recipient,
		Sender:    m.Sender,
		ReadFor:   m.ReadFor,
		Notice:    m.Notice == 1,
		Moves:     moves,
	}
}

// Received reports whether the user has received the message: it was sent to one of the user's conversations, and no
// move between channels has taken it away since. Messages that a user can read without having received them are read
// and historical.
func (o *Inbox) Received(m Message) bool {
	has, _ := o.follow(m)
	return has
}

// Live reports whether the message can be unread by rule: the user has received it, and for each channel that it was
// in, one subscription covered its whole stay. The stay in its current channel lasts until now.
func (o *Inbox) Live(m Message) bool {
	_, live := o.follow(m)
	return live
}

// LiveFrom returns the ID from which on all messages of a conversation that were never moved are live, or false if none
// are. It replaces calls of Live for many messages.
func (o *Inbox) LiveFrom(r message.Recipient) (message.ID, bool) {
	if _, channel := r.Channel(); !channel {
		return 0, o.Direct.Has(r)
	}
	ps := o.In(r)
	if len(ps) == 0 || !ps[len(ps)-1].Open() {
		return 0, false
	}
	return ps[len(ps)-1].FromMsg + 1, true
}

// liveness is Live for many messages, consecutive ones of which are usually in the same conversation.
type liveness struct {
	own  *Inbox
	in   message.Recipient
	from message.ID
	any  bool
}

func (l *liveness) live(m Message) bool {
	if len(m.Moves) > 0 {
		return l.own.Live(m)
	}
	if m.Recipient != l.in {
		l.in = m.Recipient
		l.from, l.any = l.own.LiveFrom(m.Recipient)
	}
	return l.any && m.ID >= l.from
}

func (o *Inbox) follow(m Message) (has, live bool) {
	if _, channel := m.Recipient.Channel(); !channel {
		has = o.Direct.Has(m.Recipient)
		return has, has
	}
	origin := m.Recipient
	if len(m.Moves) > 0 {
		origin = m.Moves[0].From
	}
	stay, has := o.find(origin, func(p Period) bool { return p.Covers(m.ID) })
	live = has
	for _, mv := range m.Moves {
		left := stay.Open() || mv.Seq <= stay.ToSeq // still subscribed when the message left
		var there bool
		stay, there = o.find(mv.To, func(p Period) bool { return p.At(mv.Seq) })
		live = live && left && there
		has = there && (has || mv.ToProtected)
	}
	return has, live && stay.Open()
}
