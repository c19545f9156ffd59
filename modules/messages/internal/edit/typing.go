package edit

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
	"github.com/stoachat/stoa/ports"
)

type typingRequest struct {
	ID message.ID `json:"message_id"`
	Op string     `json:"op"`
}

// typingNotice is the logged payload of typing_edit_message.
type typingNotice struct {
	Sender    user.ID           `json:"sender"`
	Message   message.ID        `json:"message_id"`
	Recipient message.Recipient `json:"recipient"`
	Topic     string            `json:"topic,omitempty"`
	People    event.People      `json:"people,omitempty"` // participants of a direct conversation
	At        int64             `json:"at"`               // Unix seconds

	location access.Location
}

// typingWire is typing_edit_message as sent to clients.
type typingWire struct {
	Sender    user.ID    `json:"sender_id"`
	Message   message.ID `json:"message_id"`
	Recipient any        `json:"recipient"`
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

func (s *Service) typingEvent(op string) kit.EventType[typingNotice] {
	return kit.Event[typingNotice]("typing_edit_message", op).Late(s.locateTyping).Shape(s.shapeTyping).
		Personal(receiveTyping)
}

// TypingEvents returns the event types typing_edit_message start and stop.
func (s *Service) TypingEvents() []kit.AnyEvent {
	return []kit.AnyEvent{s.started.Any(), s.stopped.Any()}
}

func (s *Service) locateTyping(ctx context.Context, now *directory.View, page []*typingNotice) error {
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

// shapeTyping drops expired notices.
func (s *Service) shapeTyping(_ context.Context, _ *directory.View, c event.Client, n *typingNotice) (any, bool) {
	if !n.location.Exists() || s.Clock.Now().Sub(time.Unix(n.At, 0)) > typing.Expiry {
		return nil, false
	}
	w := typingWire{Sender: n.Sender, Message: n.Message, Recipient: directWire{Type: "direct", People: n.People}}
	if id, isChannel := n.Recipient.Channel(); isChannel {
		w.Recipient = channelWire{Type: "channel", Channel: id, Topic: topic.Show(n.Topic, c.EmptyTopicName)}
	}
	return w, true
}

func receiveTyping(r event.Receiver, n *typingNotice) (any, bool) {
	return nil, n.location.ReadableBy(r)
}

// typingIntent is the value of an intent for the realm's writer.
type typingIntent struct {
	op     string
	to     event.Audience
	notice typingNotice
}

// typing handles POST /messages/:message_id/typing. Errors: BadRequest, if the caller may not edit the content of the
// message.
func (s *Service) typing(ctx context.Context, a kit.Actor, in typingRequest) (kit.None, error) {
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
		&ports.Intent{Kind: s.typingKind, Size: 256 + 8*len(receivers), Value: &typingIntent{
			op: in.Op, to: event.Each(receivers...), notice: typingNotice{
				Sender: u.ID, Message: m.ID, Recipient: m.Recipient, Topic: m.Topic, People: event.People(m.Members),
				At: s.Clock.Now().Unix(),
			},
		}},
	)
}

// writeTyping returns the events for a batch of notices.
func (s *Service) writeTyping(
	_ context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	var out []event.Event
	for _, intent := range in {
		t := intent.Value.(*typingIntent)
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
