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

// People is everybody's state of one message.
type People struct {
	*gathering
	message message.Message
	rule    readstate.Message
	flags   map[user.ID]message.Flag
}

// gathering is what is read for some messages at once. Of most of a large channel nothing is: the view has its subscribers, and
// only who came or went after the first of the messages is looked for.
type gathering struct {
	view     *directory.View
	prepared func(user.ID) *readstate.Reader
	apart    map[user.ID][]readstate.Period
	members  map[message.Recipient]user.Set
	states   map[user.ID]readstate.State
}

// Everyone gives everybody's state of some messages, in a few statements.
func (s *Service) Everyone(ctx context.Context, v *directory.View, ms ...message.Message) (map[message.ID]*People, error) {
	out := make(map[message.ID]*People, len(ms))
	if len(ms) == 0 {
		return out, nil
	}
	rules, err := s.Rules(ctx, ms)
	if err != nil {
		return nil, err
	}
	list := make([]message.ID, len(ms))
	for i := range ms {
		list[i] = ms[i].ID
	}
	ids := idset.Of(list...)
	flags, err := s.store.FlagsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	in := stays(rules)
	c := &gathering{view: v, prepared: func(u user.ID) *readstate.Reader { return s.reader(v, u) }}
	if c.apart, err = s.store.Apart(ctx, in, ids[0]); err != nil {
		return nil, err
	}
	if c.members, err = s.store.Members(ctx, in); err != nil {
		return nil, err
	}
	if c.states, err = s.store.Standing(ctx, in, ids); err != nil {
		return nil, err
	}
	for i, m := range ms {
		out[m.ID] = &People{gathering: c, message: m, rule: rules[i], flags: flags[m.ID]}
	}
	return out, nil
}

// own gives where u's messages come from, as far as one of the messages goes.
func (c *gathering) own(u user.ID, rule readstate.Message) readstate.Own {
	own := readstate.Own{Periods: slices.Clone(c.apart[u])}
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
func (p *People) Received(u user.ID) bool {
	own := p.own(u, p.rule)
	return own.Received(p.rule)
}

// Has tells whether u has the message: has received it, or has flags of it.
func (p *People) Has(u user.ID) bool { return p.flags[u] != 0 || p.Received(u) }

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
func (p *People) Holders() user.Set {
	var all []user.ID
	for u := range p.flags {
		all = append(all, u)
	}
	maybe := p.members[p.rule.Recipient]
	for _, in := range stays([]readstate.Message{p.rule}) {
		if id, channel := in.Channel(); channel {
			maybe = maybe.Union(p.view.Subscribers(id))
		}
	}
	for u := range p.apart {
		if p.Received(u) {
			all = append(all, u)
		}
	}
	for _, u := range maybe {
		if p.Received(u) {
			all = append(all, u)
		}
	}
	return idset.Of(all...)
}
