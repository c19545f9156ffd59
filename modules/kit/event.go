package kit

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
)

// EventType is a kind of event that a module logs. T is its payload: by default also what clients receive, as JSON
// fields beside id, type and op.
type EventType[T any] struct{ erased *AnyEvent }

// AnyEvent is an EventType without its payload's type.
type AnyEvent struct {
	Type, Op string
	Decode   func(payload []byte) (any, error)
	// Late completes payloads with content that is read at delivery; nil: nothing to read.
	Late func(ctx context.Context, v *directory.View, payloads []any) error
	// Shape gives the shared form for one kind of client, or several forms, or none; nil: the payload itself.
	Shape func(ctx context.Context, v *directory.View, c event.Client, payload any) []any
	// Personal gives the fields that only this receiver gets, or nil, and whether it receives the event at all.
	Personal func(r event.Receiver, payload any) (any, bool)
	// Own gives this receiver's own events, of which those that are nil are left out; false: the shared ones. nil: always
	// the shared ones.
	Own func(r event.Receiver, payload any) ([]any, bool)
	// Beyond: queues with all_public_streams or a narrow are offered the event even when their user is not addressed.
	Beyond bool
}

// Event declares a type of event; op is "" where the type has none.
func Event[T any](typ, op string) EventType[T] {
	return EventType[T]{&AnyEvent{Type: typ, Op: op, Decode: func(b []byte) (any, error) {
		v := new(T)
		err := json.Unmarshal(b, v)
		return v, err
	}}}
}

// Any gives the type for Parts.Events.
func (t EventType[T]) Any() AnyEvent { return *t.erased }

// To makes an event to be appended to the log.
func (t EventType[T]) To(r realm.ID, to event.Audience, payload T) event.Event {
	return event.Event{Realm: r, Type: t.erased.Type, Op: t.erased.Op, To: to, Payload: payload}
}

func (t EventType[T]) with(set func(*AnyEvent)) EventType[T] {
	c := *t.erased
	set(&c)
	return EventType[T]{&c}
}

// Late reads, for a page of payloads at once, what the log does not carry. A payload whose content is gone or may no
// longer be read stays as it is, and Personal leaves it out.
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

// Shape gives the form for one kind of client; false: such clients do not get it.
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

// Forms gives several events for one kind of client, or none, where one entry is several to it.
func (t EventType[T]) Forms(
	forms func(ctx context.Context, v *directory.View, c event.Client, p *T) []any,
) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Shape = func(ctx context.Context, v *directory.View, c event.Client, p any) []any {
			return forms(ctx, v, c, p.(*T))
		}
	})
}

// Personal adds the receiver's own fields, or leaves the receiver out. It must not do I/O.
func (t EventType[T]) Personal(fields func(r event.Receiver, p *T) (any, bool)) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Personal = func(r event.Receiver, p any) (any, bool) { return fields(r, p.(*T)) }
	})
}

// Own gives each receiver events of their own where one entry is several events, and who hears which is decided at
// delivery: nil for one that the receiver does not hear, so that the others keep their numbers. They are encoded for
// each receiver, so it is for what few hear of; false: the event is as for everybody. It must not do I/O.
func (t EventType[T]) Own(events func(r event.Receiver, p *T) ([]any, bool)) EventType[T] {
	return t.with(func(e *AnyEvent) {
		e.Own = func(r event.Receiver, p any) ([]any, bool) { return events(r, p.(*T)) }
	})
}

// Beyond offers the event to queues that listen further than their user is addressed; Personal decides.
func (t EventType[T]) Beyond() EventType[T] { return t.with(func(e *AnyEvent) { e.Beyond = true }) }
