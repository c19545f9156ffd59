package fetch

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/render"
)

// Object implements [ports.MessageObjects].
func (s *Service) Object(ctx context.Context, to user.Actor, id message.ID) (message.Visible, json.RawMessage, error) {
	r, err := s.reader(ctx, to)
	if err != nil {
		return message.Visible{}, nil, err
	}
	found, err := s.Access.Visible(ctx, r.v, r.u, id)
	if err != nil {
		return message.Visible{}, nil, err
	}
	if len(found) == 0 {
		if found, err = s.visibleToOwner(ctx, r, id); err != nil {
			return message.Visible{}, nil, err
		}
	}
	if len(found) == 0 {
		return message.Visible{}, nil, message.Invalid()
	}
	if err := s.attach(ctx, found); err != nil {
		return message.Visible{}, nil, err
	}
	f := found[0]
	object, err := json.Marshal(struct {
		render.Object
		Rendered string `json:"rendered_content"`
	}{render.Message(r.v, &f.Message, f.Members,
		render.Options{EmptyTopic: true, Reader: r.u, Links: s.Renderer.TopicLinks}), f.Rendered})
	return message.Visible{Message: f.Message, Members: f.Members}, object, err
}

// visibleToOwner returns a channel message that r's owner can see. It returns nothing if r is not a bot.
func (s *Service) visibleToOwner(ctx context.Context, r reader, id message.ID) ([]access.Found, error) {
	owner := r.v.User(r.u.BotOwner)
	if !r.u.IsBot() || owner == nil || !owner.Active {
		return nil, nil
	}
	found, err := s.Access.Visible(ctx, r.v, owner, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if _, isChannel := found[0].Recipient.Channel(); !isChannel {
		return nil, nil
	}
	return found, nil
}
