package reading

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// Holding is who has one message: has received it, or has flags of it.
type Holding struct {
	*gathering
	rule  readstate.Message
	flags map[user.ID]message.Flag
}

// People is everybody's state of one message.
type People struct {
	*Holding
	message message.Message
	states  map[user.ID]readstate.State
}

// gathering is what is read for some messages at once. Of most of a large channel nothing is: the view has its
// subscribers, and only who came or went after the first of the messages is looked for.
type gathering struct {
	view     *directory.View
	prepared func(user.ID) *readstate.Reader
	apart    map[user.ID][]readstate.Period
	members  map[message.Recipient]user.Set
}

// Crossed gives who has those of some messages that were ever moved between channels, in a few statements if there are
// any. All others are had by those whom they reached, and by whoever has flags of them.
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
	if len(crossed) == 0 {
		return nil, nil
	}
	rules, err := s.Rules(ctx, crossed)
	if err != nil {
		return nil, err
	}
	return s.holdings(ctx, v, rules)
}

func (s *Service) holdings(
	ctx context.Context,
	v *directory.View,
	rules []readstate.Message,
) (map[message.ID]*Holding, error) {
	ids, in := idsOf(rules), stays(rules)
	flags, err := s.store.FlagsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	c := &gathering{view: v, prepared: func(u user.ID) *readstate.Reader { return s.reader(v, u) }}
	if c.apart, err = s.store.Apart(ctx, in, ids[0]); err != nil {
		return nil, err
	}
	if c.members, err = s.store.Members(ctx, in); err != nil {
		return nil, err
	}
	out := make(map[message.ID]*Holding, len(rules))
	for _, r := range rules {
		out[r.ID] = &Holding{gathering: c, rule: r, flags: flags[r.ID]}
	}
	return out, nil
}

// Everyone gives everybody's state of some messages, in a few statements.
func (s *Service) Everyone(
	ctx context.Context,
	v *directory.View,
	ms ...message.Message,
) (map[message.ID]*People, error) {
	return s.Among(ctx, v, nil, ms...)
}

// Among is Everyone for some people, all if none are named. What it says of others is void.
func (s *Service) Among(
	ctx context.Context,
	v *directory.View,
	us user.Set,
	ms ...message.Message,
) (map[message.ID]*People, error) {
	out := make(map[message.ID]*People, len(ms))
	if len(ms) == 0 {
		return out, nil
	}
	rules, err := s.Rules(ctx, ms)
	if err != nil {
		return nil, err
	}
	holdings, err := s.holdings(ctx, v, rules)
	if err != nil {
		return nil, err
	}
	states, err := s.store.Standing(ctx, stays(rules), idsOf(rules), us)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		out[m.ID] = &People{Holding: holdings[m.ID], message: m, states: states}
	}
	return out, nil
}

// FlagsOf returns everybody's flags of messages.
func (s *Service) FlagsOf(ctx context.Context, ids []message.ID) (map[message.ID]map[user.ID]message.Flag, error) {
	return s.store.FlagsOf(ctx, ids)
}

// idsOf gives the ids of messages, ascending.
func idsOf(rules []readstate.Message) idset.Set[message.ID] {
	list := make([]message.ID, len(rules))
	for i := range rules {
		list[i] = rules[i].ID
	}
	return idset.Of(list...)
}

// own gives where u's messages come from, as far as one of the messages goes.
func (c *gathering) own(u user.ID, rule readstate.Message) readstate.Inbox {
	own := readstate.Inbox{Periods: slices.Clone(c.apart[u])}
	for _, in := range stays([]readstate.Message{rule}) {
		id, channel := in.Channel()
		switch {
		case !channel && c.members[in].Has(u):
			own.Direct = append(own.Direct, in)
		case channel && c.view.Subscribed(u, id) && !slices.ContainsFunc(c.apart[u], func(p readstate.Period) bool { return p.Recipient == in }):
			own.Periods = append(own.Periods, readstate.Period{Recipient: in}) // since before all of this
		}
	}
	own.Sort()
	return own
}

// Received tells whether u has received the message.
func (h *Holding) Received(u user.ID) bool {
	own := h.own(u, h.rule)
	return own.Received(h.rule)
}

// Has tells whether u has the message: has received it, or has flags of it.
func (h *Holding) Has(u user.ID) bool { return h.flags[u] != 0 || h.Received(u) }

// Flag returns u's flags of the message, those that only the server knows included.
func (h *Holding) Flag(u user.ID) message.Flag { return h.flags[u] }

// Read tells whether the message is read for u.
func (p *People) Read(u user.ID) bool {
	r, state := p.reader(u)
	return !r.Unread(state, p.rule, p.flags[u]&message.OldUnread != 0)
}

// Flags gives u's flags of the message by their wire names; never nil.
func (p *People) Flags(u user.ID) []string {
	r, state := p.reader(u)
	return personal(r, state, p.rule, p.message.Facts, p.flags[u]).Flags
}

func (p *People) reader(u user.ID) (*readstate.Reader, *readstate.State) {
	r := p.prepared(u)
	r.Own = p.own(u, p.rule)
	state := p.states[u]
	return r, &state
}

// Holders gives all who have the message.
func (h *Holding) Holders() user.Set {
	var all []user.ID
	for u := range h.flags {
		all = append(all, u)
	}
	maybe := h.members[h.rule.Recipient]
	for _, in := range stays([]readstate.Message{h.rule}) {
		if id, channel := in.Channel(); channel {
			maybe = maybe.Union(h.view.Subscribers(id))
		}
	}
	for u := range h.apart {
		if h.Received(u) {
			all = append(all, u)
		}
	}
	for _, u := range maybe {
		if h.Received(u) {
			all = append(all, u)
		}
	}
	return idset.Of(all...)
}
