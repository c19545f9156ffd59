package reading

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// Audience gives who hears of a change of messages that are in one conversation: whoever hears of a change of one of them.
func (s *Service) Audience(ctx context.Context, v *directory.View, ms []message.Message) (event.Audience, error) {
	all, err := s.Audiences(ctx, v, ms)
	if err != nil || len(all) == 0 {
		return event.None(), err
	}
	out := all[0]
	for _, a := range all[1:] {
		out = out.And(a.Users...)
	}
	return out, nil
}

// Audiences gives, for each of some messages, who hears of a change of it (messages.md §4): the participants; the
// subscribers, in protected history those who have the message; of a public channel also others who have it.
func (s *Service) Audiences(ctx context.Context, v *directory.View, ms []message.Message) ([]event.Audience, error) {
	var by []message.Message // for which it matters who has them
	var where []message.Recipient
	for _, m := range ms {
		id, isChannel := m.Recipient.Channel()
		switch c := v.Channel(id); {
		case !isChannel:
			where = append(where, m.Recipient)
		case c != nil && (!c.Private || !c.HistoryPublic):
			by = append(by, m)
		}
	}
	members, err := s.store.Members(ctx, idset.Of(where...))
	if err != nil {
		return nil, err
	}
	having, err := s.having(ctx, v, by)
	if err != nil {
		return nil, err
	}
	out := make([]event.Audience, len(ms))
	for i, m := range ms {
		id, isChannel := m.Recipient.Channel()
		switch c := v.Channel(id); {
		case !isChannel:
			out[i] = event.Each(members[m.Recipient]...)
		case c == nil:
			out[i] = event.None()
		case !c.HistoryPublic:
			out[i] = event.Each(having[m.ID].And(v.Subscribers(id))...)
		default:
			out[i] = event.Subscribers(id).And(permitted(v, c, having[m.ID])...)
		}
	}
	return out, nil
}

// permitted leaves of people those who may read c.
func permitted(v *directory.View, c *channel.Channel, us user.Set) user.Set {
	var out user.Set
	for _, u := range us {
		if permission.Reads(v, c, v.User(u)) {
			out = append(out, u)
		}
	}
	return out
}

// having gives the people who have each of some channel messages: received it, or have flags of it. Of those that all
// subscribers may read, subscribers are left out as far as that saves reading their subscriptions.
func (s *Service) having(ctx context.Context, v *directory.View, ms []message.Message) (map[message.ID]user.Set, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	rules, err := s.Rules(ctx, ms)
	if err != nil {
		return nil, err
	}
	var ids []message.ID
	var all, past []message.Recipient
	for _, r := range rules {
		ids = append(ids, r.ID)
		if id, _ := r.Recipient.Channel(); v.Channel(id).HistoryPublic {
			past = append(past, r.Recipient)
		} else {
			all = append(all, r.Recipient)
		}
		for _, m := range r.Moves {
			if m.From != r.Recipient {
				all = append(all, m.From)
			}
			if m.To != r.Recipient {
				all = append(all, m.To)
			}
		}
	}
	flagged, err := s.store.Flaggers(ctx, ids)
	if err != nil {
		return nil, err
	}
	owns, err := s.store.Stays(ctx, idset.Of(all...), idset.Of(past...))
	if err != nil {
		return nil, err
	}
	out := make(map[message.ID]user.Set, len(rules))
	for _, r := range rules {
		us := flagged[r.ID]
		for u, own := range owns {
			if own.Received(r) {
				us = append(us, u)
			}
		}
		out[r.ID] = idset.Of(us...)
	}
	return out, nil
}

// By is somebody who acts upon a message.
type By struct {
	User    user.ID
	Message message.Message
}

// Had says whether somebody has received a message, and whether it is among their own: received, or with flags.
type Had struct{ Received, Own bool }

// Had tells for each whether they have the message, in a few statements for all of them.
func (s *Service) Had(ctx context.Context, by []By) ([]Had, error) {
	ms, us, ids := make([]message.Message, len(by)), make([]user.ID, len(by)), make([]message.ID, len(by))
	for i, b := range by {
		ms[i], us[i], ids[i] = b.Message, b.User, b.Message.ID
	}
	rules, err := s.Rules(ctx, ms)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for i, r := range rules {
		for _, in := range stays([]readstate.Message{r}) {
			pairs = append(pairs, pair{by[i].User, in})
		}
	}
	periods, err := s.store.Periods(ctx, pairs)
	if err != nil {
		return nil, err
	}
	members, err := s.store.Members(ctx, stays(rules))
	if err != nil {
		return nil, err
	}
	flags, err := s.store.Flags(ctx, idset.Of(us...), idset.Of(ids...))
	out := make([]Had, len(by))
	for i, b := range by {
		own := readstate.Own{Periods: slices.Clone(periods[b.User])}
		if members[b.Message.Recipient].Has(b.User) {
			own.Direct = idset.Of(b.Message.Recipient)
		}
		own.Sort()
		out[i].Received = own.Received(rules[i])
		out[i].Own = out[i].Received || flags[mine{b.User, b.Message.ID}] != 0
	}
	return out, err
}

// People is everybody's state of one message.
type People struct {
	message  message.Message
	rule     readstate.Message
	flags    map[user.ID]message.Flag
	owns     map[user.ID]*readstate.Own
	states   map[user.ID]*readstate.State
	prepared func(user.ID) *readstate.Reader
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
	ids := make([]message.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	flags, err := s.store.FlagsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	in := stays(rules)
	owns, err := s.store.Stays(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	states := map[readstate.Chunk]map[user.ID]*readstate.State{}
	for _, n := range readstate.Chunks(idset.Of(ids...)) {
		if states[n], err = s.store.ChunkStates(ctx, in, n); err != nil {
			return nil, err
		}
	}
	prepared := func(u user.ID) *readstate.Reader { return s.reader(v, u) }
	for i, m := range ms {
		out[m.ID] = &People{m, rules[i], flags[m.ID], owns, states[readstate.ChunkOf(m.ID)], prepared}
	}
	return out, nil
}

func (p *People) reader(u user.ID) *readstate.Reader {
	r := p.prepared(u)
	if own := p.owns[u]; own != nil {
		r.Own = *own
	}
	return r
}

// Received tells whether u has received the message.
func (p *People) Received(u user.ID) bool {
	own := p.owns[u]
	return own != nil && own.Received(p.rule)
}

// Has tells whether u has the message: has received it, or has flags of it.
func (p *People) Has(u user.ID) bool { return p.flags[u] != 0 || p.Received(u) }

// Read tells whether the message is read for u.
func (p *People) Read(u user.ID) bool {
	state := p.states[u]
	if state == nil {
		state = &readstate.State{}
	}
	return !p.reader(u).Unread(state, p.rule, p.flags[u]&message.OldUnread != 0)
}

// Flags gives u's flags of the message by their wire names; never nil.
func (p *People) Flags(u user.ID) []string {
	state := p.states[u]
	if state == nil {
		state = &readstate.State{}
	}
	return personal(p.reader(u), state, p.rule, p.message.Facts, p.flags[u]).Flags
}

// Holders gives all who have the message.
func (p *People) Holders() user.Set {
	var all []user.ID
	for u := range p.flags {
		all = append(all, u)
	}
	for u := range p.owns {
		if p.Received(u) {
			all = append(all, u)
		}
	}
	return idset.Of(all...)
}
