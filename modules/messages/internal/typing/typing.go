// Package typing announces that a user is editing a message.
package typing

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/typing"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	kernel.Ports
	Audience *audience.Service
	Access   *access.Service
}

// Service announces who is editing messages.
type Service struct {
	Needs
	kind             *ports.IntentKind
	started, stopped kit.EventType[notice]
}

// New returns the service.
func New(n Needs) *Service {
	s := &Service{Needs: n}
	s.kind = &ports.IntentKind{Name: "edit typing", Order: 95, Write: s.write}
	s.started, s.stopped = s.eventType("start"), s.eventType("stop")
	return s
}

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{kit.POST("/messages/:message_id/typing", kit.Users, s.announce,
		"Reports that the caller has started or stopped editing a message.").Operation("setEditingStatus")}
}

// Events returns the event types typing_edit_message start and stop.
func (s *Service) Events() []kit.AnyEvent { return []kit.AnyEvent{s.started.Any(), s.stopped.Any()} }

type request struct {
	ID message.ID `json:"message_id"`
	Op string     `json:"op" enum:"start,stop"`
}

// notice is the logged payload of typing_edit_message.
type notice struct {
	Sender    user.ID           `json:"sender"`
	Message   message.ID        `json:"message_id"`
	Recipient message.Recipient `json:"recipient"`
	Topic     string            `json:"topic,omitempty"`
	People    event.People      `json:"people,omitempty"` // participants of a direct conversation
	At        int64             `json:"at"`               // Unix seconds

	location access.Location
}

// wire is typing_edit_message as sent to clients.
type wire struct {
	Sender    user.ID    `json:"sender_id"`
	Message   message.ID `json:"message_id"`
	Recipient place      `json:"recipient"`
}

// place is a channelWire or a directWire.
type place any

// Schemas describes the conversation in events.
func Schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[place]("EditedMessagePlace", "The conversation of the message.", channelWire{}, directWire{}),
	}
}

type channelWire struct {
	Type    string     `json:"type"`
	Channel channel.ID `json:"channel_id"`
	Topic   string     `json:"topic"`
}

type directWire struct {
	Type   string    `json:"type"`
	People []user.ID `json:"user_ids"`
}

func (s *Service) eventType(op string) kit.EventType[notice] {
	return kit.Event[notice]("typing_edit_message", op).Late(s.locate).Shape(s.shape).
		Personal(receive).Sends(wire{})
}

func (s *Service) locate(ctx context.Context, now *directory.View, page []*notice) error {
	ids := make([]message.ID, len(page))
	for i, n := range page {
		ids[i] = n.Message
	}
	found, err := s.Access.Locate(ctx, now, ids)
	for _, n := range page {
		n.location = found[n.Message]
	}
	return err
}

// shape drops expired notices.
func (s *Service) shape(_ context.Context, _ *directory.View, c event.Client, n *notice) (any, bool) {
	if !n.location.Exists() || s.Clock.Now().Sub(time.Unix(n.At, 0)) > typing.Expiry {
		return nil, false
	}
	w := wire{Sender: n.Sender, Message: n.Message, Recipient: directWire{Type: "direct", People: n.People}}
	if id, isChannel := n.Recipient.Channel(); isChannel {
		w.Recipient = channelWire{Type: "channel", Channel: id, Topic: topic.Show(n.Topic, c.EmptyTopicName)}
	}
	return w, true
}

func receive(r event.Receiver, n *notice) (any, bool) {
	return nil, n.location.ReadableBy(r)
}

// intent is the value of an intent for the realm's writer.
type intent struct {
	op     string
	to     event.Audience
	notice notice
}

// announce handles POST /messages/:message_id/typing. Errors: BadRequest, if the caller may not edit the content of the
// message.
func (s *Service) announce(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	if in.Op != "start" && in.Op != "stop" {
		return kit.None{}, errs.Bad("Invalid op")
	}
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return kit.None{}, err
	}
	m, err := s.Access.Changeable(ctx, v, u, in.ID)
	if err != nil {
		return kit.None{}, err
	}
	if err := message.CheckEdit(v, u, &m.Message, s.Clock.Now()); err != nil {
		return kit.None{}, err
	}
	if err := typing.CheckEditing(u, &m.Message); err != nil {
		return kit.None{}, err
	}
	to, err := s.Audience.Combined(ctx, v, []message.Message{m.Message})
	if err != nil {
		return kit.None{}, err
	}
	receivers := typing.Editing(v, u, message.Visible{Message: m.Message, Members: m.Members}, to.Members(v))
	if len(receivers) == 0 {
		return kit.None{}, nil
	}
	return kit.None{}, s.Writer.Submit(
		ctx,
		a.Realm,
		a.User,
		&ports.Intent{Kind: s.kind, Size: 256 + 8*len(receivers), Value: &intent{
			op: in.Op, to: event.Each(receivers...), notice: notice{
				Sender: u.ID, Message: m.ID, Recipient: m.Recipient, Topic: m.Topic, People: event.People(m.Members),
				At: s.Clock.Now().Unix(),
			},
		}},
	)
}

// write returns the events for a batch of notices.
func (s *Service) write(
	_ context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	var out []event.Event
	for _, one := range in {
		t := one.Value.(*intent)
		if u := v.User(t.notice.Sender); u == nil || !u.Active {
			continue
		}
		kind := s.started
		if t.op == "stop" {
			kind = s.stopped
		}
		out = append(out, kind.To(v.Realm().ID, t.to, t.notice).About(int64(t.notice.Message)))
	}
	return out, nil
}
