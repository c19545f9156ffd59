package readstatetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Op is the operation of a step.
type Op int

// The operations.
const (
	Send Op = iota
	Subscribe
	Unsubscribe
	Mute
	Unmute
	MarkRead
	MarkUnread
	MarkAll
	Star
	Unstar
	Move
	Delete
	Policy // toggles whether resolve notices are read from the start
)

func (o Op) String() string {
	return [...]string{"send", "subscribe", "unsubscribe", "mute", "unmute", "mark read", "mark unread", "mark all",
		"star",
		"unstar", "move", "delete", "policy"}[o]
}

// Step is one step of a history.
type Step struct {
	Op      Op
	User    user.ID           // the actor
	Other   user.ID           // Mute, Unmute
	Channel message.Recipient // Subscribe, Unsubscribe; Move: target
	IDs     []message.ID      // marks, stars; Move and Delete: messages of one conversation
	Message Sent              // Send; its ID is not set yet
}

func (s Step) String() string {
	return fmt.Sprintf(
		"%v by %d other %d channel %d ids %v message %+v",
		s.Op,
		s.User,
		s.Other,
		s.Channel,
		s.IDs,
		s.Message,
	)
}

// Next returns a random step that is possible and whose operation is not in without.
func (m *Model) Next(r *rand.Rand, without ...Op) Step {
	for {
		s := m.guess(r)
		if s.Op >= 0 && !slices.Contains(without, s.Op) {
			return s
		}
	}
}

func (m *Model) guess(r *rand.Rand) Step {
	u, o := pick(r, m.People), pick(r, m.People)
	c := pick(r, m.Channels)
	none := Step{Op: -1}
	switch n := r.IntN(100); {
	case n < 31:
		return Step{Op: Send, User: u, Message: m.compose(r, u)}
	case n < 34:
		return Step{Op: Policy, User: u}
	case n < 50:
		if m.subs[u][c] {
			return Step{Op: Unsubscribe, User: u, Channel: c}
		}
		return Step{Op: Subscribe, User: u, Channel: c}
	case n < 56:
		if u == o {
			return none
		}
		if m.mutes[u][o] {
			return Step{Op: Unmute, User: u, Other: o}
		}
		return Step{Op: Mute, User: u, Other: o}
	case n < 66:
		return m.mark(r, MarkRead, u)
	case n < 76:
		return m.mark(r, MarkUnread, u)
	case n < 78:
		return Step{Op: MarkAll, User: u}
	case n < 84:
		return m.mark(r, Star, u)
	case n < 88:
		return m.mark(r, Unstar, u)
	}
	if len(m.Messages) == 0 {
		return none
	}
	s := pick(r, m.Messages)
	if r.IntN(3) == 0 { // prefer a message that moved before
		for _, o := range m.Messages {
			if o.MovedChannel && r.IntN(2) == 0 {
				s = o
			}
		}
	}
	if r.IntN(5) == 0 {
		return Step{Op: Delete, User: u, IDs: m.with(r, s)}
	}
	if _, direct := m.Direct[s.Recipient]; direct || s.Recipient == c {
		return none
	}
	return Step{Op: Move, User: u, Channel: c, IDs: m.with(r, s)}
}

// with returns s, alone or with messages of the same conversation: all later ones, all, or a random selection.
func (m *Model) with(r *rand.Rand, s *Sent) []message.ID {
	var ids []message.ID
	mode := r.IntN(6)
	for _, o := range m.Messages {
		if o.Recipient != s.Recipient {
			continue
		}
		if o == s || mode == 0 || mode == 1 && o.ID > s.ID || mode == 2 && r.IntN(2) == 0 {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

func (m *Model) compose(r *rand.Rand, u user.ID) Sent {
	s := Sent{Recipient: pick(r, m.Channels), Sender: u}
	if r.IntN(4) == 0 {
		var recipients []message.Recipient
		for d, members := range m.Direct {
			if members.Has(u) {
				recipients = append(recipients, d)
			}
		}
		if slices.Sort(recipients); len(recipients) > 0 {
			s.Recipient = pick(r, recipients)
		}
	} else {
		s.Notice = r.IntN(8) == 0
	}
	switch r.IntN(4) {
	case 0, 1:
		s.ReadFor = u
	case 2:
		if s.Notice {
			s.ReadFor = pick(r, m.People)
		}
	}
	return s
}

// mark chooses messages that u can read, including some not received.
func (m *Model) mark(r *rand.Rand, op Op, u user.ID) Step {
	var ids []message.ID
	for _, s := range m.Messages {
		if r.IntN(3) == 0 && m.Readable(u, s) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return Step{Op: -1}
	}
	return Step{Op: op, User: u, IDs: idset.Of(ids...)}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
