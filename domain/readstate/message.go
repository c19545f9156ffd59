package readstate

import (
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Message is what the rules need to know of one.
type Message struct {
	ID        message.ID
	Recipient message.Recipient // where it is now
	Sender    user.ID
	ReadFor   user.ID // the one person for whom it is read from the start, or 0
	Notice    bool    // a resolve notice
	Moves     []Move  // between channels, oldest first
}

// Move is one move of a message between channels.
type Move struct {
	Message     message.ID
	Seq         int64 // of the log entry
	From, To    message.Recipient
	ToProtected bool // the target's history was not open to its subscribers
}

// Of takes from a message what the rules need; moves are those of this message, oldest first.
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

// Received tells whether the person has the message: it was sent to a conversation of theirs, and no move between
// channels has taken it away since. What a person reads without having received is shown as read and historical.
func (o *Inbox) Received(m Message) bool {
	has, _ := o.follow(m)
	return has
}

// Live tells whether the message can be unread by rule: it reached the person, and the same subscriptions have covered
// it in every channel that it was in, the last to this day.
func (o *Inbox) Live(m Message) bool {
	_, live := o.follow(m)
	return live
}

// LiveFrom gives the lowest id from which on what is sent to a conversation is live, if it is never moved between
// channels; false: nothing is. It is asked once for many messages.
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
		left := stay.Open() || mv.Seq <= stay.ToSeq // still subscribed when it left
		var there bool
		stay, there = o.find(mv.To, func(p Period) bool { return p.At(mv.Seq) })
		live = live && left && there
		has = there && (has || mv.ToProtected)
	}
	return has, live && stay.Open()
}
