package events

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/modules/kit"
)

// item is a log entry and the view as of that entry, ready for delivery to many queues.
type item struct {
	entry   event.Entry
	view    *directory.View
	kind    *kit.AnyEvent // nil: no running module declares the type
	content atomic.Pointer[content]

	live *live // when it happened; nil: it was read from the log, or nothing is measured
}

// content is an entry's payload, including the parts loaded at delivery, and its encoded forms.
type content struct {
	payload any       // nil: it cannot be decoded
	asOf    event.Seq // the parts loaded at delivery are at least as new as this entry
	mu      sync.Mutex
	forms   map[event.Client][][]byte
	own     []own
}

// own is an encoded personal part. Most receivers of an event share the same part.
type own struct {
	value  any
	fields []byte
}

// Maximum number of encoded forms and of personal parts cached per entry. Clients choose their capabilities, so the
// number of combinations must be limited.
const (
	maxVariants = 64
	maxOwn      = 4
)

func (s *service) item(e event.Entry, v *directory.View) *item {
	it := &item{entry: e, view: v}
	if e.To.Kind != event.ToNobody {
		if kind, ok := s.Collected.Event(e.Type, e.Op); ok {
			it.kind = &kind
		}
	}
	return it
}

// stale reports whether the content is missing or was loaded before an entry that may have changed it.
func (it *item) stale(altered event.Seq) bool {
	c := it.content.Load()
	return c == nil || it.kind.Late != nil && c.asOf < altered
}

// complete decodes the payloads of items and loads, as of head, the parts that the log does not contain, with one call
// per type.
func (s *service) complete(ctx context.Context, head *directory.View, items []*item) error {
	type batch struct {
		load     func(context.Context, *directory.View, []any) error
		payloads []any
	}
	late := map[string]*batch{}
	all := make([]*content, len(items))
	for i, it := range items {
		all[i] = &content{asOf: event.Seq(head.Seq()), forms: map[event.Client][][]byte{}}
		payload, err := it.kind.Decode(it.entry.Payload)
		if err != nil {
			s.Log.Error("event can't be decoded",
				"realm", it.entry.Realm, "seq", it.entry.Seq, "type", it.entry.Type, "error", err)
			continue
		}
		all[i].payload = payload
		if it.kind.Late == nil {
			continue
		}
		key := it.entry.Type + "/" + it.entry.Op
		if late[key] == nil {
			late[key] = &batch{load: it.kind.Late}
		}
		late[key].payloads = append(late[key].payloads, payload)
	}
	for _, b := range late {
		if err := b.load(ctx, head, b.payloads); err != nil {
			return err
		}
	}
	for i, it := range items {
		it.content.Store(all[i])
	}
	return nil
}

// form returns the entry's events as encoded for a client's capabilities: for each event, the fields that follow "id"
// in the JSON object. Queues with equal capabilities share the result.
func (it *item) form(ctx context.Context, t *content, c event.Client) ([][]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, ok := t.forms[c]; ok {
		return f, nil
	}
	shapes := []any{t.payload}
	if it.kind.Shape != nil {
		shapes = it.kind.Shape(ctx, it.view, c, t.payload)
	}
	forms, err := it.encode(shapes)
	if err == nil && len(t.forms) < maxVariants {
		t.forms[c] = forms
	}
	return forms, err
}

// encode returns the encoded fields of each event. A nil event yields nil.
func (it *item) encode(events []any) ([][]byte, error) {
	forms := make([][]byte, len(events))
	for i, e := range events {
		if e == nil {
			continue
		}
		fields, err := members(e)
		if err != nil {
			return nil, err
		}
		forms[i] = append(head(it.entry.Type, it.entry.Op), fields...)
	}
	return forms, nil
}

// personal encodes a receiver's personal part, once for all receivers with an equal part. All receivers of an event
// poll at about the same time, so the comparison runs without the lock.
func (c *content) personal(v any) ([]byte, error) {
	c.mu.Lock()
	had := c.own // appended to, never modified
	c.mu.Unlock()
	for _, o := range had {
		if equalParts(o.value, v) {
			return o.fields, nil
		}
	}
	fields, err := members(v)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.own[len(had):] { // added in the meantime
		if equalParts(o.value, v) {
			return o.fields, nil
		}
	}
	if len(c.own) < maxOwn {
		c.own = append(c.own, own{v, fields})
	}
	return fields, nil
}

// equalParts reports whether two parts are equal. It runs once per receiver, so values without pointers take a fast
// path.
func equalParts(a, b any) bool {
	if pointerFree(reflect.ValueOf(a)) && pointerFree(reflect.ValueOf(b)) {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

// pointerFree reports whether a value consists only of strings, numbers and booleans.
func pointerFree(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return true
	case reflect.Struct:
		for i := range v.NumField() {
			if !pointerFree(v.Field(i)) {
				return false
			}
		}
		return true
	}
	return false
}

func head(typ, op string) []byte {
	b := strconv.AppendQuote([]byte(`,"type":`), typ) // type names are ASCII, so Go quoting is valid JSON
	if op != "" {
		b = strconv.AppendQuote(append(b, `,"op":`...), op)
	}
	return b
}

// members encodes a struct or map and returns its members, each after a comma.
func members(v any) ([]byte, error) {
	text, err := plainjson.Marshal(v)
	if err != nil {
		return nil, err
	}
	switch {
	case string(text) == "{}", string(text) == "null":
		return nil, nil
	case len(text) < 2 || text[0] != '{':
		return nil, errors.New("an event must be a JSON object")
	}
	text[0] = ','
	return text[:len(text)-1], nil
}
