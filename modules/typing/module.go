package typing

import (
	"context"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/typing"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module sends typing notifications.
var Module = kit.Define("typing", "Notifies users that someone is typing.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	Directory ports.Directory
	Writer    ports.Writer
	Clock     ports.Clock
}

type service struct {
	needs
	notices     *ports.IntentKind
	start, stop kit.EventType[notice]
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{needs: n}
	s.notices = &ports.IntentKind{Name: "typing", Order: 95, Write: s.write}
	s.start = kit.Event[notice]("typing", "start").Shape(s.shape).Sends(shown{})
	s.stop = kit.Event[notice]("typing", "stop").Shape(s.shape).Sends(shown{})
	return kit.Parts{
		Endpoints: []kit.Endpoint{kit.POST("/typing", kit.Users, s.typing,
			"Reports that the caller has started or stopped typing.").Operation("setTypingStatus")},
		Events: []kit.AnyEvent{s.start.Any(), s.stop.Any()},
	}, nil
}

// notice is the logged payload.
type notice struct {
	Sender  user.ID      `json:"sender"`
	People  event.People `json:"people,omitempty"`
	Channel channel.ID   `json:"channel,omitempty"`
	Topic   string       `json:"topic,omitempty"`
	At      int64        `json:"at"` // Unix seconds
}

type person struct {
	ID    user.ID `json:"user_id"`
	Email string  `json:"email"`
}

// shown is a notice as sent to clients.
type shown struct {
	Type       string     `json:"message_type"`
	Sender     person     `json:"sender"`
	Recipients []person   `json:"recipients,omitempty"`
	Channel    channel.ID `json:"stream_id,omitempty"`
	Topic      *string    `json:"topic,omitempty"`
}

// shape drops expired notices, and channel notices for clients that do not support them.
func (s *service) shape(_ context.Context, v *directory.View, c event.Client, n *notice) (any, bool) {
	sender := v.User(n.Sender)
	if sender == nil || s.Clock.Now().Sub(time.Unix(n.At, 0)) > typing.Expiry {
		return nil, false
	}
	out := shown{Type: "direct", Sender: person{n.Sender, permission.APIEmail(v, sender)}}
	if n.Channel != 0 {
		name := topic.Show(n.Topic, c.EmptyTopicName)
		out.Type, out.Channel, out.Topic = "stream", n.Channel, &name
		return out, c.StreamTyping
	}
	for _, id := range n.People {
		if u := v.User(id); u != nil {
			out.Recipients = append(out.Recipients, person{id, permission.APIEmail(v, u)})
		}
	}
	return out, true
}

// typingRequest is a queued request.
type typingRequest struct {
	by user.ID
	in typing.Request
}

// typing handles POST /typing. write checks the request again and determines its receivers under the realm's lock.
// Errors: BadRequest.
func (s *service) typing(ctx context.Context, a kit.Actor, in typing.Request) (kit.None, error) {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return kit.None{}, err
	}
	n, err := typing.New(v, u, in)
	if err != nil || len(n.Receivers) == 0 {
		return kit.None{}, err
	}
	return kit.None{}, s.Writer.Submit(
		ctx,
		a.Realm,
		a.User,
		&ports.Intent{Kind: s.notices, Value: &typingRequest{a.User, in}, Size: in.Size()},
	)
}

// write returns the events for a batch of notices. It drops notices that are no longer allowed.
func (s *service) write(_ context.Context, v *directory.View, _ event.Seq, in []*ports.Intent) ([]event.Event, error) {
	var out []event.Event
	now := s.Clock.Now().Unix()
	for _, intent := range in {
		req := intent.Value.(*typingRequest)
		u := v.User(req.by)
		if u == nil || !u.Active {
			continue
		}
		n, err := typing.New(v, u, req.in)
		if err != nil || len(n.Receivers) == 0 {
			continue
		}
		kind := s.start
		if req.in.Op == "stop" {
			kind = s.stop
		}
		out = append(out, kind.To(v.Realm().ID, event.Each(n.Receivers...),
			notice{Sender: req.by, People: event.People(n.People), Channel: n.Channel, Topic: n.Topic, At: now}))
	}
	return out, nil
}
