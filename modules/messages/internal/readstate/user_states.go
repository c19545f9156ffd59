package readstate

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// UserStates holds the state of one message for all users.
type UserStates struct {
	*audience.Holders
	view    *directory.View
	message message.Message
	states  map[user.ID]readstate.State
}

// ForAllUsers returns the state of each message for all users.
func (s *Service) ForAllUsers(
	ctx context.Context,
	v *directory.View,
	ms ...message.Message,
) (map[message.ID]*UserStates, error) {
	return s.ForUsers(ctx, v, nil, ms...)
}

// ForUsers is like ForAllUsers, but the results are valid only for the users in us. If us is empty, they are valid for
// all users.
func (s *Service) ForUsers(
	ctx context.Context,
	v *directory.View,
	us user.Set,
	ms ...message.Message,
) (map[message.ID]*UserStates, error) {
	out := make(map[message.ID]*UserStates, len(ms))
	if len(ms) == 0 {
		return out, nil
	}
	holders, err := s.needs.Audience.HoldersOf(ctx, v, ms)
	if err != nil {
		return nil, err
	}
	withMoves := make([]readstate.Message, len(ms))
	for i, m := range ms {
		withMoves[i] = holders[m.ID].Message()
	}
	states, err := s.states.loadForMessages(ctx, inbox.Conversations(withMoves...), inbox.IDs(withMoves), us)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		out[m.ID] = &UserStates{Holders: holders[m.ID], view: v, message: m, states: states}
	}
	return out, nil
}

// Read reports whether u has read the message.
func (p *UserStates) Read(u user.ID) bool {
	r, state := p.reader(u)
	return !r.Unread(state, p.Message(), p.Flag(u)&message.OldUnread != 0)
}

// Flags returns the wire names of u's flags for the message. The result is never nil.
func (p *UserStates) Flags(u user.ID) []string {
	r, state := p.reader(u)
	return personal(r, state, p.Message(), p.message.Facts, p.Flag(u)).Flags
}

func (p *UserStates) reader(u user.ID) (*readstate.Reader, *readstate.State) {
	r := reader(p.view, u)
	r.Own = p.Inbox(u)
	state := p.states[u]
	return r, &state
}
