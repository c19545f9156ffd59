package react

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/reading"
)

// reacted is what the log keeps of a reaction.
type reacted struct {
	message.Reaction
	ID        message.ID        `json:"message_id"`
	Recipient message.Recipient `json:"recipient"`

	where   message.Recipient // of the message now; 0: it is gone
	crossed *reading.Holding  // who has it, if it was ever moved between channels; nil: it never was
}

// wire is the event reaction (messages.md §17).
type wire struct {
	message.Reaction
	ID message.ID `json:"message_id"`
}

func (s *Service) eventType(op string) kit.EventType[reacted] {
	return kit.Event[reacted]("reaction", op).Late(s.locate).Shape(shape).Personal(receive)
}

// Events are the events for the module's Parts.
func (s *Service) Events() []kit.AnyEvent { return []kit.AnyEvent{s.added.Any(), s.removed.Any()} }

// locate finds out where the messages are now, and who has those that were moved between channels.
func (s *Service) locate(ctx context.Context, now *directory.View, page []*reacted) error {
	ids := make([]message.ID, len(page))
	for i, r := range page {
		ids[i] = r.ID
	}
	heads, err := s.Store.Heads(ctx, now.Realm().ID, ids)
	if err != nil {
		return err
	}
	has, err := s.Reading.Crossed(ctx, now, heads)
	if err != nil {
		return err
	}
	where := make(map[message.ID]message.Recipient, len(heads))
	for _, m := range heads {
		where[m.ID] = m.Recipient
	}
	for _, r := range page {
		r.where, r.crossed = where[r.ID], has[r.ID]
	}
	return nil
}

func shape(_ context.Context, _ *directory.View, _ event.Client, r *reacted) (any, bool) {
	return wire{r.Reaction, r.ID}, r.where != 0
}

// receive leaves out who can't read the message any more.
func receive(r event.Receiver, p *reacted) (any, bool) {
	if p.where == 0 {
		return nil, false
	}
	if _, isChannel := p.where.Channel(); !isChannel {
		return reactor(r, p), true
	}
	switch message.AccessTo(r.Head, p.where, r.Head.User(r.User.ID)) {
	case message.AllAccess:
		return reactor(r, p), true
	case message.OwnAccess:
		return reactor(r, p), p.crossed == nil || p.crossed.Has(r.User.ID)
	}
	return nil, false
}

// terminal is the name of the client that is still told who has reacted as servers did before level 484: ZulipTerminal 0.7.0, the
// last that was released, fails at reactions without. Others must not be told: some fail at keys that they don't know.
const terminal = "ZulipTerminal"

type reactedBy struct {
	User struct {
		ID       user.ID `json:"user_id"`
		Email    string  `json:"email"`
		FullName string  `json:"full_name"`
	} `json:"user"`
}

func reactor(r event.Receiver, p *reacted) any {
	if r.Queue.ClientName != terminal {
		return nil
	}
	var by reactedBy
	by.User.ID, by.User.FullName = p.User, "Unknown user"
	if u := r.Head.User(p.User); u != nil && permission.Sees(r.Head, r.Head.User(r.User.ID), p.User) {
		by.User.Email, by.User.FullName = permission.APIEmail(r.Head, u), u.FullName
	}
	return by
}
