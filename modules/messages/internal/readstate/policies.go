package readstate

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

// noticePolicies preserves the read state of existing resolve notices when users change the setting that determines
// whether such notices are unread.
func (s *Service) noticePolicies(ctx context.Context, m *directory.Changed) error {
	var ids []user.ID
	for _, c := range m.Changes {
		if c.User == nil || c.User.Old == nil || c.User.New == nil {
			continue
		}
		if before, after := m.Before.User(c.User.New.ID), m.After.User(c.User.New.ID); before != nil &&
			readstate.Quiet(before) != readstate.Quiet(after) {
			ids = append(ids, after.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if _, err := s.needs.Log.Lock(ctx, m.Realm); err != nil {
		return err
	}
	for some := range slices.Chunk(idset.Of(ids...), block) {
		if err := s.freezeNotices(ctx, m, some); err != nil {
			return err
		}
	}
	return nil
}

// freezeNotices stores the state of the resolve notices above the users' floors. If there are none, it takes two
// statements. The realm must be locked.
func (s *Service) freezeNotices(ctx context.Context, m *directory.Changed, us []user.ID) error {
	states, err := s.states.load(ctx, us, []readstate.Chunk{-1})
	if err != nil {
		return err
	}
	all := make(map[user.ID]*userState, len(us))
	var lowest message.ID
	for i, u := range us {
		p := newUserState(reader(m.Before, u), states[u])
		if all[u] = p; i == 0 || p.state.Floor < lowest {
			lowest = p.state.Floor
		}
	}
	notices, err := s.states.facts.notices(ctx, m.Realm, lowest, s.limits.batch)
	if err != nil || len(notices) == 0 {
		return err
	}
	inboxes, err := s.needs.Inbox.Of(ctx, us...)
	if err != nil {
		return err
	}
	set := map[flags.Key]message.Flag{}
	for len(notices) > 0 {
		ms := messagesOf(notices)
		for u, p := range all {
			p.Own = *inboxes[u]
			for _, id := range p.FreezeNotices(&p.state, ms) {
				set[flags.Key{User: u, Message: id}] = message.OldUnread
			}
		}
		if notices, err = s.states.facts.notices(ctx, m.Realm, notices[len(notices)-1].ID, s.limits.batch); err != nil {
			return err
		}
	}
	if err := s.needs.Flags.Add(ctx, set); err != nil {
		return err
	}
	return s.states.saveAll(ctx, all)
}
