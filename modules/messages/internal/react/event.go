package react

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
)

// reacted is what the log keeps of a reaction.
type reacted struct {
	message.Reaction
	ID        message.ID        `json:"message_id"`
	Recipient message.Recipient `json:"recipient"`

	now access.Location
}

// wire is the event reaction.
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
	found, err := s.Access.Locate(ctx, now, ids)
	for _, r := range page {
		r.now = found[r.ID]
	}
	return err
}

func shape(_ context.Context, _ *directory.View, c event.Client, r *reacted) (any, bool) {
	return wire{r.Reaction.Shown(c.ZulipNames), r.ID}, r.now.Exists()
}

// receive leaves out who can't read the message any more.
func receive(r event.Receiver, p *reacted) (any, bool) {
	if !p.now.ReadableBy(r) {
		return nil, false
	}
	return reactor(r, p), true
}

// terminal is the name of the client that is still told who has reacted as servers did before level 484: ZulipTerminal
// 0.7.0, the last that was released, fails at reactions without. Others must not be told: some fail at keys that they
// don't know.
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
