package events

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
)

// item is a log entry with the view as of it, ready to be delivered to many queues.
type item struct {
	entry   event.Entry
	view    *directory.View
	kind    *kit.AnyEvent // nil: of a type that no module here knows
	content atomic.Pointer[content]
}

// content is an entry's payload with what is read late, and its forms.
type content struct {
	payload any       // nil: it can't be read
	asOf    event.Seq // what was read late is at least as new as this entry
	mu      sync.Mutex
	forms   map[event.Client][][]byte
	own     []own
}

// own is a receiver's own part as it was encoded. Most receivers have the same.
type own struct {
	value  any
	fields []byte
}

// What is kept of one entry is bounded: how clients describe themselves is up to them.
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

// stale tells whether the content is missing, or was read before something that may have changed it.
func (it *item) stale(altered event.Seq) bool {
	c := it.content.Load()
	return c == nil || it.kind.Late != nil && c.asOf < altered
}

// complete decodes the payloads of items and reads what the log does not carry, with one call per type, as of head.
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
			s.Log.Error(
				"event can't be decoded",
				"realm",
				it.entry.Realm,
				"seq",
				it.entry.Seq,
				"type",
				it.entry.Type,
				"error",
				err,
			)
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

// form gives the entry's events for one kind of client, each as the fields of a JSON object after its id. They are
// encoded once for all queues of that kind.
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

// encode gives events as the fields of JSON objects; what is nil stays so.
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

// personal encodes a receiver's own part, once for all that have the same. All receivers of an event come by here at
// once, so that they wait for each other only to add what nobody had before.
func (c *content) personal(v any) ([]byte, error) {
	c.mu.Lock()
	had := c.own // what it holds is not changed any more
	c.mu.Unlock()
	for _, o := range had {
		if same(o.value, v) {
			return o.fields, nil
		}
	}
	fields, err := members(v)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.own[len(had):] { // added meanwhile
		if same(o.value, v) {
			return o.fields, nil
		}
	}
	if len(c.own) < maxOwn {
		c.own = append(c.own, own{v, fields})
	}
	return fields, nil
}

// same tells whether two parts are the same, which is asked for every receiver: of what has no pointers it is told at
// once.
func same(a, b any) bool {
	if plain(reflect.ValueOf(a)) && plain(reflect.ValueOf(b)) {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

// plain tells whether a value is of texts, numbers and truth values alone.
func plain(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return true
	case reflect.Struct:
		for i := range v.NumField() {
			if !plain(v.Field(i)) {
				return false
			}
		}
		return true
	}
	return false
}

func head(typ, op string) []byte {
	b := strconv.AppendQuote([]byte(`,"type":`), typ) // names of types are plain ASCII
	if op != "" {
		b = strconv.AppendQuote(append(b, `,"op":`...), op)
	}
	return b
}

// members encodes a struct or map and gives its members, each after a comma.
func members(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b.Bytes())
	switch {
	case string(text) == "{}", string(text) == "null":
		return nil, nil
	case len(text) < 2 || text[0] != '{':
		return nil, errors.New("an event must be a JSON object")
	}
	text[0] = ','
	return text[:len(text)-1], nil
}
