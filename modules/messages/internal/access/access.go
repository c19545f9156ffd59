// Package access determines which messages a user can see. Operations that change messages use it too, so that users
// can change only messages that they can see.
package access

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Service looks up messages for a user.
type Service struct {
	Store    *store.Store
	Audience *audience.Service
	Flags    *flags.Store
	States   *readstate.Service
}

// Found is a message and its state for one reader.
type Found struct {
	message.Message
	readstate.Personal
	Members user.Set // participants of a direct message
}

// Visible returns those of the messages with these IDs that u can see, sorted by ID.
func (s *Service) Visible(ctx context.Context, v *directory.View, u *user.User, ids ...message.ID) ([]Found, error) {
	ms, err := s.Store.ByID(ctx, v.Realm().ID, ids)
	if err != nil {
		return nil, err
	}
	return s.FilterVisible(ctx, v, u, ms)
}

// Readable returns those of the IDs whose messages u can see, ascending. It does not read the content.
func (s *Service) Readable(
	ctx context.Context,
	v *directory.View,
	u *user.User,
	ids ...message.ID,
) ([]message.ID, error) {
	heads, err := s.Store.Heads(ctx, v.Realm().ID, ids)
	if err != nil {
		return nil, err
	}
	var out []message.ID
	heads = slices.DeleteFunc(heads, func(m message.Message) bool {
		all := message.AccessTo(v, m.Recipient, u) == message.AllAccess
		if all {
			out = append(out, m.ID)
		}
		return all
	})
	if len(heads) == 0 || u.ID == 0 { // spectators have received nothing
		return out, nil
	}
	found, err := s.FilterVisible(ctx, v, u, heads)
	for _, f := range found {
		out = append(out, f.ID)
	}
	slices.Sort(out)
	return out, err
}

// FilterVisible returns those of the messages that u can see, in the given order. It modifies ms.
func (s *Service) FilterVisible(
	ctx context.Context, v *directory.View, u *user.User, ms []message.Message,
) ([]Found, error) {
	all, err := s.Describe(ctx, v, u, ms)
	if err != nil {
		return nil, err
	}
	var unreceived []message.ID // in protected history and not received, but a flag row may give access
	out := slices.DeleteFunc(all, func(f Found) bool {
		if _, isChannel := f.Recipient.Channel(); !isChannel {
			return !f.Members.Has(u.ID)
		}
		switch message.AccessTo(v, f.Recipient, u) {
		case message.AllAccess:
			return false
		case message.OwnAccess:
			if !f.Received {
				unreceived = append(unreceived, f.ID)
			}
			return false
		}
		return true
	})
	flagged, err := s.Flags.Any(ctx, u.ID, ^message.Flag(0), unreceived)
	return slices.DeleteFunc(out, func(f Found) bool { return slices.Contains(unreceived, f.ID) && !flagged[f.ID] }), err
}

// Describe adds the reader's state and the participants to messages. The caller must have checked that u can see them.
func (s *Service) Describe(
	ctx context.Context,
	v *directory.View,
	u *user.User,
	ms []message.Message,
) ([]Found, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	states, err := s.States.Of(ctx, v, u.ID, ms)
	if err != nil {
		return nil, err
	}
	to := make([]message.Recipient, len(ms))
	for i, m := range ms {
		to[i] = m.Recipient
	}
	members, err := s.Store.Conversations.Members(ctx, to)
	if err != nil {
		return nil, err
	}
	out := make([]Found, len(ms))
	for i, m := range ms {
		out[i] = Found{m, states[i], members[m.Recipient]}
	}
	return out, nil
}

// Changeable returns a message that u may act on: one that u can see and that is not in an archived channel. Errors:
// BadRequest, the same for missing and invisible messages.
func (s *Service) Changeable(ctx context.Context, v *directory.View, u *user.User, id message.ID) (Found, error) {
	found, err := s.Visible(ctx, v, u, id)
	if err != nil {
		return Found{}, err
	}
	if len(found) == 0 {
		return Found{}, message.Invalid()
	}
	if c, isChannel := found[0].Recipient.Channel(); isChannel && v.Channel(c).Archived {
		return Found{}, message.Invalid()
	}
	return found[0], nil
}
