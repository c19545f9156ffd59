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

// reacted is the logged payload of the event reaction.
type reacted struct {
	message.Reaction
	ID        message.ID        `json:"message_id"`
	Recipient message.Recipient `json:"recipient"`

	location access.Location
}

// wire is the event reaction as sent to clients.
type wire struct {
	message.Reaction
	ID message.ID `json:"message_id"`
}

func (s *Service) eventType(op string) kit.EventType[reacted] {
	return kit.Event[reacted](message.EventReaction, op).Late(s.locate).Shape(shape).Personal(receive).
		ForFollowers().Sends(wire{}, forTerminal{})
}

// Events returns the event types reaction add and remove.
func (s *Service) Events() []kit.AnyEvent { return []kit.AnyEvent{s.added.Any(), s.removed.Any()} }

// locate loads the locations of the messages.
func (s *Service) locate(ctx context.Context, now *directory.View, page []*reacted) error {
	ids := make([]message.ID, len(page))
	for i, r := range page {
		ids[i] = r.ID
	}
	found, err := s.Access.Locate(ctx, now, ids)
	for _, r := range page {
		r.location = found[r.ID]
	}
	return err
}

func shape(_ context.Context, _ *directory.View, c event.Client, r *reacted) (any, bool) {
	return wire{r.Shown(c.ZulipNames), r.ID}, r.location.Exists()
}

// receive excludes receivers who can no longer read the message, and queues that are neither addressed nor followed the
// channel in which somebody reacted.
func receive(r event.Receiver, p *reacted) (any, bool) {
	if !p.location.ReadableBy(r) || !r.Addressed && !r.Follows(p.Recipient) {
		return nil, false
	}
	return reactor(r, p), true
}

// terminal is the name of a client that needs the legacy field user: ZulipTerminal 0.7.0, its latest release, fails
// without it. Other clients must not receive the field, since some reject unknown keys.
const terminal = "ZulipTerminal"

type reactedBy struct {
	User struct {
		ID       user.ID `json:"user_id"`
		Email    string  `json:"email"`
		FullName string  `json:"full_name"`
	} `json:"user"`
}

// forTerminal is the event as that client receives it.
type forTerminal struct {
	wire
	reactedBy
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
