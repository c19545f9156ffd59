package kit

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// EventType is a type of event that a module logs. T is the payload: by default also what clients receive, as JSON
// fields next to id, type and op.
type EventType[T any] struct{ erased *AnyEvent }

// AnyEvent is an EventType without the type of its payload.
type AnyEvent struct {
	Type, Op string
	Decode   func(payload []byte) (any, error)
	// Late completes payloads with content read at delivery; nil: there is none.
	Late func(ctx context.Context, v *directory.View, payloads []any) error
	// Shape returns the forms of the event for clients with the same capabilities, without receiver-specific fields:
	// several, one or none. nil: the payload itself.
	Shape func(ctx context.Context, v *directory.View, c event.Client, payload any) []any
	// Personal returns the receiver-specific fields, or nil, and whether the receiver gets the event at all.
	Personal func(r event.Receiver, payload any) (any, bool)
	// Own returns events for one receiver, of which nil ones are skipped; false: the shared forms. nil: always the
	// shared forms.
	Own func(r event.Receiver, payload any) ([]any, bool)
	// Beyond: queues with all_public_streams or a narrow are offered the event even if their user is not in its
	// audience.
	Beyond bool
}

// Event declares a type of event; op is "" if the type has none.
func Event[T any](typ, op string) EventType[T] {
	return EventType[T]{&AnyEvent{Type: typ, Op: op, Decode: func(b []byte) (any, error) {
		v := new(T)
		err := json.Unmarshal(b, v)
		return v, err
	}}}
}

// Any returns the type for Parts.Events.
func (t EventType[T]) Any() AnyEvent { return *t.erased }

// To returns an event with a payload for an audience, to be appended to the log.
func (t EventType[T]) To(r realm.ID, to event.Audience, payload T) event.Event {
	return event.Event{Realm: r, Type: t.erased.Type, Op: t.erased.Op, To: to, Payload: payload}
}

func (t EventType[T]) with(set func(*AnyEvent)) EventType[T] {
	c := *t.erased
	set(&c)
	return EventType[T]{&c}
}

// Late reads what the log does not contain, for a page of payloads together. A payload whose content is gone or may no
// longer be read stays unchanged, and Personal excludes its receivers.
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

// Shape sets the form of the event by client capabilities; false: such clients do not receive it.
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

// Forms is Shape for entries of the log that become several events, or none.
func (t EventType[T]) Forms(
	forms func(ctx context.Context, v *directory.View, c event.Client, p *T) []any,
) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Shape = func(ctx context.Context, v *directory.View, c event.Client, p any) []any {
			return forms(ctx, v, c, p.(*T))
		}
	})
}

// Personal adds receiver-specific fields, or excludes the receiver by false. It must not do I/O.
func (t EventType[T]) Personal(fields func(r event.Receiver, p *T) (any, bool)) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Personal = func(r event.Receiver, p any) (any, bool) { return fields(r, p.(*T)) }
	})
}

// Own returns the events for one receiver if an entry becomes several events and visibility is decided at delivery: nil
// for an event that the receiver does not get, so that the others keep their numbers; false: the shared forms. The
// events are encoded per receiver, so Own is for small audiences. It must not do I/O.
func (t EventType[T]) Own(events func(r event.Receiver, p *T) ([]any, bool)) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Own = func(r event.Receiver, p any) ([]any, bool) { return events(r, p.(*T)) }
	})
}

// Beyond offers the event to queues that listen beyond their user's audiences; Personal decides who receives it.
func (t EventType[T]) Beyond() EventType[T] { return t.with(func(e *AnyEvent) { e.Beyond = true }) }
