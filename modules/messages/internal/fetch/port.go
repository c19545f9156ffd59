package fetch

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/render"
)

// Object answers message.ObjectFor.
func (s *Service) Object(ctx context.Context, q message.ObjectFor) (message.Object, error) {
	r, err := s.reader(ctx, q.Reader)
	if err != nil {
		return message.Object{}, err
	}
	found, err := s.Access.Visible(ctx, r.v, r.u, q.Message)
	if err != nil {
		return message.Object{}, err
	}
	if len(found) == 0 {
		if found, err = s.visibleToOwner(ctx, r, q.Message); err != nil {
			return message.Object{}, err
		}
	}
	if len(found) == 0 {
		return message.Object{}, message.Invalid()
	}
	if err := s.attach(ctx, found); err != nil {
		return message.Object{}, err
	}
	f := found[0]
	object, err := json.Marshal(struct {
		render.Object
		Rendered string `json:"rendered_content"`
	}{render.Message(r.v, &f.Message, f.Members,
		render.Options{EmptyTopic: true, Reader: r.u, Links: s.Renderer.TopicLinks}), f.Rendered})
	return message.Object{Message: message.Visible{Message: f.Message, Members: f.Members}, JSON: object}, err
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
