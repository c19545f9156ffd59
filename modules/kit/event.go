package kit

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// EventType is a type of event that a module logs. T is the payload. By default, clients receive its JSON fields in
// addition to id, type and op.
type EventType[T any] struct{ erased *AnyEvent }

// AnyEvent is an EventType without the type of its payload.
type AnyEvent struct {
	Type, Op string
	Payload  reflect.Type
	Decode   func(payload []byte) (any, error)
	// Late adds content to payloads at delivery; nil: the payloads are complete.
	Late func(ctx context.Context, v *directory.View, payloads []any) error
	// Shape returns the events, without receiver-specific fields, for clients with the capabilities c. nil: clients
	// receive the payload.
	Shape func(ctx context.Context, v *directory.View, c event.Client, payload any) []any
	// Personal returns the receiver-specific fields, or nil, and whether the receiver gets the event at all.
	Personal func(r event.Receiver, payload any) (any, bool)
	// PerReceiver returns the events for one receiver. They replace those of Shape unless it returns false. Nil events
	// are skipped. nil: all receivers get the events of Shape.
	PerReceiver func(r event.Receiver, payload any) ([]any, bool)
	// BeyondAudience offers the event to queues with all_public_streams or a narrow even if their user is not in the
	// audience.
	BeyondAudience bool
	// ForFollowers offers the event to queues that follow a channel (event.Receiver.Follows) even if their user is not in
	// the audience.
	ForFollowers bool
	Sent         []reflect.Type // what clients receive; nil: the payload. See Sends
	Hidden       bool           // no client receives the event
}

// Event declares a type of event. op is "" for events without an op field. Unless Shape replaces the payload, T must
// have no fields id, type and op, which every event has.
func Event[T any](typ, op string) EventType[T] {
	decode := func(b []byte) (any, error) {
		v := new(T)
		err := json.Unmarshal(b, v)
		return v, err
	}
	return EventType[T]{&AnyEvent{Type: typ, Op: op, Payload: reflect.TypeFor[T](), Decode: decode}}
}

// Any returns the type for Parts.Events.
func (t EventType[T]) Any() AnyEvent { return *t.erased }

// To returns an event with the given audience and payload, to append to the log.
func (t EventType[T]) To(r realm.ID, to event.Audience, payload T) event.Event {
	return event.Event{Realm: r, Type: t.erased.Type, Op: t.erased.Op, To: to, Payload: payload}
}

func (t EventType[T]) with(set func(*AnyEvent)) EventType[T] {
	c := *t.erased
	set(&c)
	return EventType[T]{&c}
}

// Late sets a function that adds content to payloads at delivery, for content that the log does not contain. It leaves
// a payload unchanged if its content was deleted or cannot be read; Personal must then exclude the receivers.
func (t EventType[T]) Late(load func(ctx context.Context, v *directory.View, payloads []*T) error) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Late = func(ctx context.Context, v *directory.View, payloads []any) error {
			typed := make([]*T, len(payloads))
			for i, p := range payloads {
				typed[i] = p.(*T)
			}
			return load(ctx, v, typed)
		}
	})
}

// Shape sets a function that returns what clients with the capabilities c receive instead of the payload, or false if
// they do not receive the event.
func (t EventType[T]) Shape(
	form func(ctx context.Context, v *directory.View, c event.Client, p *T) (any, bool),
) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Shape = func(ctx context.Context, v *directory.View, c event.Client, p any) []any {
			if f, ok := form(ctx, v, c, p.(*T)); ok {
				return []any{f}
			}
			return nil
		}
	})
}

// Forms is like Shape, for log entries that become any number of events.
func (t EventType[T]) Forms(
	forms func(ctx context.Context, v *directory.View, c event.Client, p *T) []any,
) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Shape = func(ctx context.Context, v *directory.View, c event.Client, p any) []any {
			return forms(ctx, v, c, p.(*T))
		}
	})
}

// Personal sets a function that returns receiver-specific fields, or false to exclude the receiver. The function must
// not do I/O.
func (t EventType[T]) Personal(fields func(r event.Receiver, p *T) (any, bool)) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Personal = func(r event.Receiver, p any) (any, bool) { return fields(r, p.(*T)) }
	})
}

// PerReceiver sets a function that returns the events for one receiver, for log entries that become several events
// whose visibility is decided at delivery. It returns nil in place of each event that the receiver does not get, so
// that the IDs of the others do not change, and false if the receiver gets the events of Shape. The events are encoded
// per receiver, so PerReceiver is for small audiences. The function must not do I/O.
func (t EventType[T]) PerReceiver(events func(r event.Receiver, p *T) ([]any, bool)) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.PerReceiver = func(r event.Receiver, p any) ([]any, bool) { return events(r, p.(*T)) }
	})
}

// ForFollowers also offers the event to queues that follow a channel and whose user is not in the audience. Personal
// decides whether they receive it.
func (t EventType[T]) ForFollowers() EventType[T] {
	return t.with(func(e *AnyEvent) { e.ForFollowers = true })
}

// BeyondAudience also offers the event to queues with all_public_streams or a narrow whose user is not in the audience.
// Personal decides whether they receive it.
func (t EventType[T]) BeyondAudience() EventType[T] {
	return t.with(func(e *AnyEvent) { e.BeyondAudience = true })
}
