package fetch

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/reading"
	"github.com/stoachat/stoa/modules/messages/internal/render"
)

// found is a message with what belongs to it for one reader.
type found struct {
	message.Message
	reading.Personal
	members user.Set // of a direct message
}

// visible gives those of the messages that the reader may see (messages.md §4), by id.
func (s *Service) visible(ctx context.Context, r reader, ids []message.ID) ([]found, error) {
	ms, err := s.Store.ByID(ctx, r.v.Realm().ID, ids)
	if err != nil {
		return nil, err
	}
	all, err := s.describe(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	var own []message.ID // in protected history, not received: a flag may make them the reader's own
	out := slices.DeleteFunc(all, func(f found) bool {
		if _, isChannel := f.Recipient.Channel(); !isChannel {
			return !f.members.Has(r.u.ID)
		}
		switch message.AccessTo(r.v, f.Recipient, r.u) {
		case message.AllAccess:
			return false
		case message.OwnAccess:
			if !f.Received {
				own = append(own, f.ID)
			}
			return false
		}
		return true
	})
	flagged, err := s.flagged(ctx, r.u.ID, anyFlag, own)
	return slices.DeleteFunc(out, func(f found) bool { return slices.Contains(own, f.ID) && !flagged[f.ID] }), err
}

// describe adds the reader's state and the participants to messages.
func (s *Service) describe(ctx context.Context, r reader, ms []message.Message) ([]found, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	states, err := s.Reading.Of(ctx, r.v, r.u.ID, ms)
	if err != nil {
		return nil, err
	}
	to := make([]message.Recipient, len(ms))
	for i, m := range ms {
		to[i] = m.Recipient
	}
	members, err := s.Store.Members(ctx, to)
	if err != nil {
		return nil, err
	}
	out := make([]found, len(ms))
	for i, m := range ms {
		out[i] = found{m, states[i], members[m.Recipient]}
	}
	return out, nil
}

// object makes the message for an answer.
func (f *found) object(r reader, o render.Options) render.Object {
	out := render.Message(r.v, &f.Message, f.members, o)
	out.Flags = &f.Flags
	return out
}
