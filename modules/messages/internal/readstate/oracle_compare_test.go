package readstate

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

func stored(s *readstatetest.Sent) message.Message {
	m := message.Message{ID: s.ID, Recipient: s.Recipient, Sender: s.Sender, ReadFor: s.ReadFor}
	if s.MovedChannel {
		m.Facts = message.MovedChannel
	}
	if s.Notice {
		m.Notice = 1
	}
	return m
}

// compare compares everything stored with the models.
func (h *harness) compare(all []*history) error {
	var us []user.ID
	for _, x := range all {
		us = append(us, x.model.People...)
	}
	states, err := h.service.states.load(h.ctx, us, nil)
	if err != nil {
		return err
	}
	owns, err := h.inbox.Of(h.ctx, us...)
	if err != nil {
		return err
	}
	flags, err := allFlags(h.ctx, h.db, us)
	if err != nil {
		return err
	}
	var ms []message.Message
	for _, x := range all {
		for _, s := range x.model.Messages {
			ms = append(ms, stored(s))
		}
	}
	found, err := h.inbox.WithMoves(h.ctx, ms)
	if err != nil {
		return err
	}
	rules := make(map[message.ID]readstate.Message, len(found))
	for _, r := range found {
		rules[r.ID] = r
	}
	for k := range flags {
		if _, there := rules[k.Message]; !there {
			return fmt.Errorf("user %d has flags of message %d, which is gone", k.User, k.Message)
		}
	}
	for _, x := range all {
		for _, u := range x.model.People {
			p := &userState{Reader: reader(h.view, u)}
			if p.Own = *owns[u]; states[u] != nil {
				p.state = *states[u]
			}
			floor := p.state.Floor
			if floor > h.highest || len(p.state.Unread.From(floor+1)) > 0 ||
				len(p.state.Read.From(floor+1)) != len(p.state.Read) {
				return fmt.Errorf("user %d: invariant 8: head %d, %+v", u, h.highest, p.state)
			}
			if err := compareOne(x.model, u, p, flags, rules); err != nil {
				return err
			}
		}
	}
	return nil
}

func compareOne(
	m *readstatetest.Model, u user.ID, p *userState, had map[flags.Key]message.Flag,
	rules map[message.ID]readstate.Message,
) error {
	var unread []message.ID
	for _, s := range m.Messages {
		row, flag := m.Row(u, s.ID), had[flags.Key{User: u, Message: s.ID}]
		rule := rules[s.ID]
		has := p.Own.Received(rule)
		if (has || flag != 0) != (row != nil) {
			return fmt.Errorf("user %d message %d: received %v, flags %b, want %+v", u, s.ID, has, flag, row)
		}
		is := p.Unread(&p.state, rule, flag&message.OldUnread != 0)
		if is {
			unread = append(unread, s.ID)
		}
		if row == nil {
			continue
		}
		if got := (readstatetest.Row{Received: has, Read: !is, Starred: flag&message.Starred != 0}); got != *row {
			return fmt.Errorf("user %d message %d: got %+v, want %+v; state %+v, periods %+v", u, s.ID, got, *row, p.state,
				p.Own)
		}
	}
	if want := m.Unread(u); !slices.Equal(unread, want) {
		return fmt.Errorf("user %d: unread %v, want %v", u, unread, want)
	}
	return nil
}
