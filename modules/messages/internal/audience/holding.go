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

// Holding determines which users have a message.
type Holding struct {
	*loaded
	rule  readstate.Message
	flags map[user.ID]message.Flag
}

// loaded holds data that is shared by the holdings of several messages. It does not include the periods of most
// subscribers of a large channel: the view lists the subscribers, and only periods that started or ended after the
// first of the messages matter.
type loaded struct {
	view    *directory.View
	apart   map[user.ID][]readstate.Period
	members map[message.Recipient]user.Set
}

// Crossed returns the holdings of those of the messages that were ever moved between channels. For other messages, the
// view and the flag rows determine who has them.
func (s *Service) Crossed(
	ctx context.Context,
	v *directory.View,
	ms []message.Message,
) (map[message.ID]*Holding, error) {
	var crossed []message.Message
	for i := range ms {
		if ms[i].Facts&message.Crossed != 0 {
			crossed = append(crossed, ms[i])
		}
	}
	return s.Holdings(ctx, v, crossed)
}

// Holdings returns each message's holding. The number of statements does not depend on the number of messages.
func (s *Service) Holdings(
	ctx context.Context,
	v *directory.View,
	ms []message.Message,
) (map[message.ID]*Holding, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	rules, err := s.inbox.Rules(ctx, ms)
	if err != nil {
		return nil, err
	}
	ids, in := inbox.IDs(rules), inbox.Conversations(rules...)
	flags, err := s.flags.ByMessage(ctx, ids)
	if err != nil {
		return nil, err
	}
	l := &loaded{view: v}
	if l.apart, err = s.inbox.Apart(ctx, in, ids[0]); err != nil {
		return nil, err
	}
	if l.members, err = s.inbox.Members(ctx, in); err != nil {
		return nil, err
	}
	out := make(map[message.ID]*Holding, len(rules))
	for _, r := range rules {
		out[r.ID] = &Holding{loaded: l, rule: r, flags: flags[r.ID]}
	}
	return out, nil
}

// Inbox returns u's inbox, limited to the conversations that the message is or was in.
func (h *Holding) Inbox(u user.ID) readstate.Inbox {
	own := readstate.Inbox{Periods: slices.Clone(h.apart[u])}
	for _, in := range inbox.Conversations(h.rule) {
		id, channel := in.Channel()
		switch {
		case !channel && h.members[in].Has(u):
			own.Direct = append(own.Direct, in)
		case channel && h.view.Subscribed(u, id) &&
			!slices.ContainsFunc(h.apart[u], func(p readstate.Period) bool { return p.Recipient == in }):
			own.Periods = append(own.Periods, readstate.Period{Recipient: in}) // began before all loaded messages
		}
	}
	own.Sort()
	return own
}

// Rule returns the message in the form that the rules of domain/readstate use.
func (h *Holding) Rule() readstate.Message { return h.rule }

// Received reports whether u has received the message.
func (h *Holding) Received(u user.ID) bool {
	own := h.Inbox(u)
	return own.Received(h.rule)
}

// Has reports whether u has the message.
func (h *Holding) Has(u user.ID) bool { return h.flags[u] != 0 || h.Received(u) }

// Flag returns u's flags for the message, including internal flags.
func (h *Holding) Flag(u user.ID) message.Flag { return h.flags[u] }

// Holders returns all users who have the message.
func (h *Holding) Holders() user.Set {
	var all []user.ID
	for u := range h.flags {
		all = append(all, u)
	}
	candidates := h.members[h.rule.Recipient]
	for _, in := range inbox.Conversations(h.rule) {
		if id, channel := in.Channel(); channel {
			candidates = candidates.Union(h.view.Subscribers(id))
		}
	}
	for u := range h.apart {
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
