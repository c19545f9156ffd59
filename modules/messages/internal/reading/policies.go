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

// policies keeps what people have of resolve notices as it is when they choose to have them otherwise: whether one is
// unread is decided when it is sent.
func (s *Service) policies(ctx context.Context, m *directory.Changed) error {
	var who []user.ID
	for _, c := range m.Changes {
		if c.User == nil || c.User.Old == nil || c.User.New == nil {
			continue
		}
		if was, is := m.Before.User(c.User.New.ID), m.After.User(c.User.New.ID); was != nil &&
			readstate.Quiet(was) != readstate.Quiet(is) {
			who = append(who, is.ID)
		}
	}
	if len(who) == 0 {
		return nil
	}
	if _, err := s.needs.Log.Lock(ctx, m.Realm); err != nil {
		return err
	}
	for some := range slices.Chunk(idset.Of(who...), block) {
		if err := s.settle(ctx, m, some); err != nil {
			return err
		}
	}
	return nil
}

// settle does so for some people, in a few statements if there are no notices above their floors. In the realm's lock
// only.
func (s *Service) settle(ctx context.Context, m *directory.Changed, us []user.ID) error {
	states, err := s.store.States(ctx, us, []readstate.Chunk{-1})
	if err != nil {
		return err
	}
	all := make(map[user.ID]*person, len(us))
	var lowest message.ID
	for i, u := range us {
		p := &person{Reader: s.reader(m.Before, u)}
		if st := states[u]; st != nil {
			p.state, p.before = *st, *st
		}
		if all[u] = p; i == 0 || p.state.Floor < lowest {
			lowest = p.state.Floor
		}
	}
	notices, err := s.store.Notices(ctx, m.Realm, lowest, s.limits.far)
	if err != nil || len(notices) == 0 {
		return err
	}
	owns, err := s.store.Owns(ctx, us)
	if err != nil {
		return err
	}
	set := map[mine]message.Flag{}
	for len(notices) > 0 {
		ms := rules(notices)
		for u, p := range all {
			p.Own = *owns[u]
			for _, id := range p.Settle(&p.state, ms) {
				set[mine{u, id}] = message.OldUnread
			}
		}
		if notices, err = s.store.Notices(ctx, m.Realm, notices[len(notices)-1].ID, s.limits.far); err != nil {
			return err
		}
	}
	if err := s.store.AddFlags(ctx, set); err != nil {
		return err
	}
	return s.save(ctx, all)
}
