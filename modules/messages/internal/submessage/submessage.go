// Package submessage attaches JSON to messages, such as votes in a poll. Callers of the port validate the JSON.
package submessage

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	kernel.Ports
	Store    *store.Store
	Audience *audience.Service
	Access   *access.Service
}

// Service attaches submessages.
type Service struct {
	Needs
	event kit.EventType[attached]
}

// New returns the service.
func New(n Needs) *Service {
	s := &Service{Needs: n}
	s.event = kit.Event[attached]("submessage", "").Late(s.load).Shape(shape).Personal(receive).ForFollowers().
		Sends(wire{})
	return s
}

// Event returns the event type submessage.
func (s *Service) Event() kit.AnyEvent { return s.event.Any() }

// Attach implements [ports.Submessages].
func (s *Service) Attach(ctx context.Context, by user.Actor, id message.ID, msgType, content string,
	check func(ports.Attaching) ([]message.Submessage, error),
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, u, err := kit.Caller(ctx, s.Directory, by)
		if err != nil {
			return err
		}
		found, err := s.Access.Changeable(ctx, v, u, id)
		if err != nil {
			return err
		}
		m := found.Message
		if locked, err := s.Store.Lock(ctx, by.Realm, []message.ID{id}); err != nil || len(locked) == 0 {
			return missing(err)
		}
		if _, err := s.Log.Lock(ctx, by.Realm); err != nil {
			return err
		}
		existing, err := s.Store.Submessages.Total(ctx, id, v.Accounts(u.ID))
		if err != nil {
			return err
		}
		if err := existing.CheckFirst(&m, u.ID); err != nil {
			return err
		}
		own, err := s.Store.Submessages.By(ctx, id, u.ID)
		if err != nil {
			return err
		}
		replaced, err := check(ports.Attaching{Message: &m, First: existing.First, Own: own})
		if err != nil {
			return err
		}
		if err := existing.Admit(content, replaced); err != nil {
			return err
		}
		if err := s.Store.Submessages.Delete(ctx, replaced); err != nil {
			return err
		}
		if existing.First == nil {
			if err := s.Store.MarkExtended(ctx, &m); err != nil {
				return err
			}
		}
		return s.add(ctx, v, &m, message.Submessage{Message: id, Sender: u.ID, Type: msgType, Content: content})
	})
}

func missing(err error) error {
	if err != nil {
		return err
	}
	return message.Invalid()
}

// add stores a submessage, appends its event and runs message.Participated.
func (s *Service) add(ctx context.Context, v *directory.View, m *message.Message, one message.Submessage) error {
	id, err := s.Store.Submessages.Add(ctx, one)
	if err != nil {
		return err
	}
	to, err := s.Audience.Combined(ctx, v, []message.Message{*m})
	if err != nil {
		return err
	}
	a := attached{ID: id, Message: m.ID, Recipient: m.Recipient}
	if err := s.Log.Append(ctx, s.event.To(m.Realm, to, a).About(int64(m.ID))); err != nil {
		return err
	}
	return s.Hooks.Run(ctx, &message.Participated{Realm: m.Realm, By: one.Sender, Message: *m})
}

// attached is the logged payload of submessage. The JSON is read at delivery, so that it is deleted with the message.
type attached struct {
	ID        message.SubmessageID `json:"submessage_id"`
	Message   message.ID           `json:"message_id"`
	Recipient message.Recipient    `json:"recipient"` // of the message at that time

	location access.Location
	loaded   *message.Submessage
}

// wire is the event submessage as sent to clients.
type wire struct {
	ID      message.SubmessageID `json:"submessage_id"`
	Message message.ID           `json:"message_id"`
	Sender  user.ID              `json:"sender_id"`
	Type    string               `json:"msg_type"`
	Content string               `json:"content"`
}

func (s *Service) load(ctx context.Context, now *directory.View, page []*attached) error {
	ids, messages := make([]message.SubmessageID, len(page)), make([]message.ID, len(page))
	for i, a := range page {
		ids[i], messages[i] = a.ID, a.Message
	}
	found, err := s.Access.Locate(ctx, now, messages)
	if err != nil {
		return err
	}
	loaded, err := s.Store.Submessages.ByID(ctx, ids)
	for _, a := range page {
		a.location = found[a.Message]
		if one, ok := loaded[a.ID]; ok {
			a.loaded = &one
		}
	}
	return err
}

func shape(_ context.Context, _ *directory.View, _ event.Client, a *attached) (any, bool) {
	if a.loaded == nil || !a.location.Exists() {
		return nil, false
	}
	return wire{
		ID:      a.ID,
		Message: a.Message,
		Sender:  a.loaded.Sender,
		Type:    a.loaded.Type,
		Content: a.loaded.Content,
	}, true
}

func receive(r event.Receiver, a *attached) (any, bool) {
	return nil, a.location.ReadableBy(r) && (r.Addressed || r.Follows(a.Recipient))
}
