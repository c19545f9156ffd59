// Package audience determines which users a change of messages affects: who receives the event, and who has the
// messages. A user has a message if the user has received it or has a flag row for it.
package audience

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
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// Service determines audiences.
type Service struct {
	inbox *inbox.Store
	flags *flags.Store
}

// New returns a Service.
func New(in *inbox.Store, f *flags.Store) *Service { return &Service{in, f} }

// Combined returns the combined audience of messages in one conversation: all users who receive events about at least
// one of them.
func (s *Service) Combined(ctx context.Context, v *directory.View, ms []message.Message) (event.Audience, error) {
	all, err := s.Of(ctx, v, ms)
	if err != nil || len(all) == 0 {
		return event.None(), err
	}
	return union(all), nil
}

// union joins the audiences of messages in one conversation. all must not be empty.
func union(all []event.Audience) event.Audience {
	out := all[0]
	for _, a := range all[1:] {
		out = out.And(a.Users...)
	}
	return out
}

// Of returns, for each message, the audience of events about it. For a direct message, these are the participants. For
// a channel message, these are the subscribers; with protected history, only those who have the message; in a public
// channel, also other users who have it.
func (s *Service) Of(ctx context.Context, v *directory.View, ms []message.Message) ([]event.Audience, error) {
	var restricted []message.Message // messages whose audience depends on who has them
	var direct []message.Recipient
	for _, m := range ms {
		id, isChannel := m.Recipient.Channel()
		switch c := v.Channel(id); {
		case !isChannel:
			direct = append(direct, m.Recipient)
		case c != nil && (!c.Private || !c.HistoryPublic):
			restricted = append(restricted, m)
		}
	}
	members, err := s.inbox.Members(ctx, idset.Of(direct...))
	if err != nil {
		return nil, err
	}
	holders, err := s.holders(ctx, v, restricted)
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
			out[i] = event.Each(holders[m.ID].And(v.Subscribers(id))...)
		default:
			out[i] = event.Subscribers(id).And(readers(v, c, holders[m.ID])...)
		}
	}
	return out, nil
}

// readers returns those of the users who can read c.
func readers(v *directory.View, c *channel.Channel, us user.Set) user.Set {
	var out user.Set
	for _, u := range us {
		if permission.Reads(v, c, v.User(u)) {
			out = append(out, u)
		}
	}
	return out
}

// holders returns, for each channel message, the users who have it. If all subscribers can read a channel's history, it
// may omit current subscribers, which avoids reading their periods.
func (s *Service) holders(
	ctx context.Context,
	v *directory.View,
	ms []message.Message,
) (map[message.ID]user.Set, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	withMoves, err := s.inbox.WithMoves(ctx, ms)
	if err != nil {
		return nil, err
	}
	var ids []message.ID
	var all, past []message.Recipient
	for _, r := range withMoves {
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
	flagged, err := s.flags.Users(ctx, ids)
	if err != nil {
		return nil, err
	}
	inboxes, err := s.inbox.InboxesIn(ctx, idset.Of(all...), idset.Of(past...))
	if err != nil {
		return nil, err
	}
	out := make(map[message.ID]user.Set, len(withMoves))
	for _, r := range withMoves {
		us := flagged[r.ID]
		for u, in := range inboxes {
			if in.Received(r) {
				us = append(us, u)
			}
		}
		out[r.ID] = idset.Of(us...)
	}
	return out, nil
}

// HoldersOfAny returns those of the users who have at least one of the channel messages.
func (s *Service) HoldersOfAny(ctx context.Context, us user.Set, ms []message.Message) (user.Set, error) {
	if len(us) == 0 || len(ms) == 0 {
		return nil, nil
	}
	withMoves, err := s.inbox.WithMoves(ctx, ms)
	if err != nil {
		return nil, err
	}
	var pairs []inbox.Pair
	for _, in := range inbox.Conversations(withMoves...) {
		for _, u := range us {
			pairs = append(pairs, inbox.Pair{User: u, In: in})
		}
	}
	periods, err := s.inbox.Periods(ctx, pairs)
	if err != nil {
		return nil, err
	}
	var has user.Set
	for _, u := range us {
		box := readstate.Inbox{Periods: periods[u]}
		box.Sort()
		if slices.ContainsFunc(withMoves, box.Received) {
			has = append(has, u)
		}
	}
	if len(has) == len(us) {
		return has, nil
	}
	flagged, err := s.flags.Users(ctx, inbox.IDs(withMoves))
	for _, by := range flagged {
		has = append(has, us.And(idset.Of(by...))...)
	}
	return idset.Of(has...), err
}

// Holder is the user of a delivery: whether the user has received the message, and whether the user has it.
type Holder struct{ Received, Has bool }

// HoldersByDelivery returns, for each delivery, whether the user has the message. The number of statements does not
// depend on the number of deliveries.
func (s *Service) HoldersByDelivery(ctx context.Context, all []inbox.Delivery) ([]Holder, error) {
	received, err := s.inbox.Received(ctx, all)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	us, ids := make([]user.ID, len(all)), make([]message.ID, len(all))
	for i, d := range all {
		us[i], ids[i] = d.User, d.Message.ID
	}
	rows, err := s.flags.Of(ctx, idset.Of(us...), idset.Of(ids...))
	out := make([]Holder, len(all))
	for i, d := range all {
		out[i].Received = received[i]
		out[i].Has = received[i] || rows[flags.Key{User: d.User, Message: d.Message.ID}] != 0
	}
	return out, err
}
