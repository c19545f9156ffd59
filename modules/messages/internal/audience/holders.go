package audience

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// Holders determines which users have a message.
type Holders struct {
	*sharedHolders
	message readstate.Message
	flags   map[user.ID]message.Flag
}

// sharedHolders holds data that is shared by the holders of several messages. It does not include the periods of most
// subscribers of a large channel: the view lists the subscribers, and only periods that started or ended after the
// first of the messages matter.
type sharedHolders struct {
	view           *directory.View
	changedPeriods map[user.ID][]readstate.Period
	members        map[message.Recipient]user.Set
}

// HoldersOfMoved returns the holders of those of the messages that were ever moved between channels. For other
// messages, the view and the flag rows determine who has them.
func (s *Service) HoldersOfMoved(
	ctx context.Context,
	v *directory.View,
	ms []message.Message,
) (map[message.ID]*Holders, error) {
	var moved []message.Message
	for i := range ms {
		if ms[i].Facts&message.MovedChannel != 0 {
			moved = append(moved, ms[i])
		}
	}
	return s.HoldersOf(ctx, v, moved)
}

// HoldersOf returns each message's holders. The number of statements does not depend on the number of messages.
func (s *Service) HoldersOf(
	ctx context.Context,
	v *directory.View,
	ms []message.Message,
) (map[message.ID]*Holders, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	withMoves, err := s.inbox.WithMoves(ctx, ms)
	if err != nil {
		return nil, err
	}
	ids, in := inbox.IDs(withMoves), inbox.Conversations(withMoves...)
	flags, err := s.flags.ByMessage(ctx, ids)
	if err != nil {
		return nil, err
	}
	shared := &sharedHolders{view: v}
	if shared.changedPeriods, err = s.inbox.PeriodsSince(ctx, in, ids[0]); err != nil {
		return nil, err
	}
	if shared.members, err = s.inbox.Members(ctx, in); err != nil {
		return nil, err
	}
	out := make(map[message.ID]*Holders, len(withMoves))
	for _, r := range withMoves {
		out[r.ID] = &Holders{sharedHolders: shared, message: r, flags: flags[r.ID]}
	}
	return out, nil
}

// Inbox returns u's inbox, limited to the conversations that the message is or was in.
func (h *Holders) Inbox(u user.ID) readstate.Inbox {
	box := readstate.Inbox{Periods: slices.Clone(h.changedPeriods[u])}
	for _, in := range inbox.Conversations(h.message) {
		id, channel := in.Channel()
		switch {
		case !channel && h.members[in].Has(u):
			box.Direct = append(box.Direct, in)
		case channel && h.view.Subscribed(u, id) &&
			!slices.ContainsFunc(h.changedPeriods[u], func(p readstate.Period) bool { return p.Recipient == in }):
			box.Periods = append(box.Periods, readstate.Period{Recipient: in}) // began before all loaded messages
		}
	}
	box.Sort()
	return box
}

// Message returns the message in the form used by domain/readstate.
func (h *Holders) Message() readstate.Message { return h.message }

// Received reports whether u has received the message.
func (h *Holders) Received(u user.ID) bool {
	box := h.Inbox(u)
	return box.Received(h.message)
}

// Has reports whether u has the message.
func (h *Holders) Has(u user.ID) bool { return h.flags[u] != 0 || h.Received(u) }

// Flag returns u's flags for the message, including internal flags.
func (h *Holders) Flag(u user.ID) message.Flag { return h.flags[u] }

// Users returns all users who have the message.
func (h *Holders) Users() user.Set {
	var all []user.ID
	for u := range h.flags {
		all = append(all, u)
	}
	candidates := h.members[h.message.Recipient]
	for _, in := range inbox.Conversations(h.message) {
		if id, channel := in.Channel(); channel {
			candidates = candidates.Union(h.view.Subscribers(id))
		}
	}
	for u := range h.changedPeriods {
		if h.Received(u) {
			all = append(all, u)
		}
	}
	for _, u := range candidates {
		if h.Received(u) {
			all = append(all, u)
		}
	}
	return idset.Of(all...)
}
