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

// Audience gives who hears of a change of messages that are in one conversation: whoever hears of a change of one of
// them.
func (s *Service) Audience(ctx context.Context, v *directory.View, ms []message.Message) (event.Audience, error) {
	all, err := s.Audiences(ctx, v, ms)
	if err != nil || len(all) == 0 {
		return event.None(), err
	}
	return union(all), nil
}

// union is all that are in audiences of one conversation, of which there is one at least.
func union(all []event.Audience) event.Audience {
	out := all[0]
	for _, a := range all[1:] {
		out = out.And(a.Users...)
	}
	return out
}

// Audiences gives, for each of some messages, who hears of a change of it: the participants; the subscribers, in
// protected history those who have the message; of a public channel also others who have it.
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
func (s *Service) having(
	ctx context.Context,
	v *directory.View,
	ms []message.Message,
) (map[message.ID]user.Set, error) {
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

// AnyOf gives those of some people who have any of some messages: received it, or have flags of it.
func (s *Service) AnyOf(ctx context.Context, us user.Set, ms []message.Message) (user.Set, error) {
	if len(us) == 0 || len(ms) == 0 {
		return nil, nil
	}
	rules, err := s.Rules(ctx, ms)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for _, in := range stays(rules) {
		for _, u := range us {
			pairs = append(pairs, pair{u, in})
		}
	}
	periods, err := s.store.Periods(ctx, pairs)
	if err != nil {
		return nil, err
	}
	var has user.Set
	for _, u := range us {
		own := readstate.Inbox{Periods: periods[u]}
		own.Sort()
		if slices.ContainsFunc(rules, own.Received) {
			has = append(has, u)
		}
	}
	if len(has) == len(us) {
		return has, nil
	}
	flagged, err := s.store.Flaggers(ctx, idsOf(rules))
	for _, by := range flagged {
		has = append(has, us.And(idset.Of(by...))...)
	}
	return idset.Of(has...), err
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
	if len(by) == 0 {
		return nil, nil
	}
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
		own := readstate.Inbox{Periods: slices.Clone(periods[b.User])}
		if members[b.Message.Recipient].Has(b.User) {
			own.Direct = idset.Of(b.Message.Recipient)
		}
		own.Sort()
		out[i].Received = own.Received(rules[i])
		out[i].Own = out[i].Received || flags[mine{b.User, b.Message.ID}] != 0
	}
	return out, err
}
