package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/domain/realm"
)

// Slot is a module's extension of realms' views: S is the state held by a view, C a change of it. Declare a slot as a
// variable of a package that all its readers can import, and contribute it with Part.
//
// A state is immutable and shared by all versions of a view that do not change it. It is the zero S in realms without
// such facts and on servers without the module.
type Slot[S, C any] struct {
	key     string
	apply   func(state S, change C) S
	inverse func(change C) C
}

// NewSlot returns a slot whose changes are recorded in the log under key, which is unique within a server. apply
// returns the state after a change and does not modify the old one; inverse returns the change that undoes another.
// Neither may do I/O. Changes are logged as JSON.
func NewSlot[S, C any](key string, apply func(state S, change C) S, inverse func(change C) C) *Slot[S, C] {
	return &Slot[S, C]{key, apply, inverse}
}

// In returns the slot's state in a view.
func (s *Slot[S, C]) In(v *View) (state S) {
	for i := range v.facts {
		if v.facts[i].of == AnySlot(s) {
			return v.facts[i].state.(S)
		}
	}
	return state
}

// Change returns a change of the slot's facts, for event.Event.Changing.
func (s *Slot[S, C]) Change(c C) Change { return Change{Slot: &SlotChange{s.key, s, c}} }

// Of returns the slot's change in c, and false if c changes something else.
func (s *Slot[S, C]) Of(c Change) (change C, ok bool) {
	if c.Slot == nil || c.Slot.of != AnySlot(s) {
		return change, false
	}
	return c.Slot.data.(C), true
}

// Put sets the state of a view that is being built.
func (s *Slot[S, C]) Put(b *Builder, state S) { b.facts = append(b.facts, fact{s, state}) }

// Part returns the contribution of the module that stores the facts. load reads a realm's facts from the database.
func (s *Slot[S, C]) Part(load func(ctx context.Context, r realm.ID) (S, error)) Part {
	return Part{Name: s.key, Slot: s, Load: func(ctx context.Context, r realm.ID, b *Builder) error {
		state, err := load(ctx, r)
		if err == nil {
			s.Put(b, state)
		}
		return err
	}}
}

// AnySlot is a Slot with any type arguments.
type AnySlot interface {
	// Key returns the key under which the slot's changes are recorded.
	Key() string

	empty() any
	with(state, change any) any
	inverted(change any) any
	decode(text []byte) (any, error)
}

// Key implements AnySlot.
func (s *Slot[S, C]) Key() string { return s.key }

func (s *Slot[S, C]) empty() any {
	var none S
	return none
}

func (s *Slot[S, C]) with(state, change any) any { return s.apply(state.(S), change.(C)) }

func (s *Slot[S, C]) inverted(change any) any { return s.inverse(change.(C)) }

func (s *Slot[S, C]) decode(text []byte) (any, error) {
	var c C
	err := json.Unmarshal(text, &c)
	return c, err
}

// fact is the state of one slot in a view.
type fact struct {
	of    AnySlot
	state any
}

// SlotChange is a change of a slot's facts.
type SlotChange struct {
	key  string
	of   AnySlot // nil: read from the log and not resolved
	data any     // the slot's C; unresolved: a json.RawMessage
}

// change applies a change to a copy of the facts. A change of a slot that this server does not have changes nothing.
func (v *View) change(c *SlotChange) {
	if c.of == nil {
		return
	}
	facts := append(make([]fact, 0, len(v.facts)+1), v.facts...)
	for i := range facts {
		if facts[i].of == c.of {
			facts[i].state = c.of.with(facts[i].state, c.data)
			v.facts = facts
			return
		}
	}
	facts = append(facts, fact{c.of, c.of.with(c.of.empty(), c.data)})
	v.facts = facts
}

func (c *SlotChange) inverse() *SlotChange {
	if c.of == nil {
		return c
	}
	return &SlotChange{c.key, c.of, c.of.inverted(c.data)}
}

// Slots maps keys to the slots of a server.
type Slots map[string]AnySlot

// Resolve decodes in place the slot changes among changes read from the log. Changes of unknown slots have no effect.
// It fails if a slot cannot decode a change.
func (s Slots) Resolve(changes []Change) error {
	for i, c := range changes {
		if c.Slot == nil || c.Slot.of != nil {
			continue
		}
		of := s[c.Slot.key]
		if of == nil {
			continue
		}
		data, err := of.decode(c.Slot.data.(json.RawMessage))
		if err != nil {
			return fmt.Errorf("a change of %s: %w", c.Slot.key, err)
		}
		changes[i].Slot = &SlotChange{c.Slot.key, of, data}
	}
	return nil
}

// builtin returns the JSON keys of changes other than those of slots.
var builtin = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{}
	for f := range reflect.TypeFor[Change]().Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys[key] = true
	}
	return keys
})

// Reserved reports whether a key cannot name a slot because the directory uses it.
func Reserved(key string) bool { return key == "" || builtin()[key] }

// changeText has the fields of Change but not its methods.
type changeText Change

// MarshalJSON implements json.Marshaler. The key of a slot is encoded on the same level as the directory's own facts.
func (c Change) MarshalJSON() ([]byte, error) {
	if c.Slot != nil {
		return plainjson.Marshal(map[string]any{c.Slot.key: c.Slot.data})
	}
	return plainjson.Marshal(changeText(c))
}

// UnmarshalJSON implements json.Unmarshaler. The changes of slots have to be resolved (Slots.Resolve).
func (c *Change) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil || !d.More() {
		return err
	}
	key, err := d.Token()
	if err != nil {
		return err
	}
	name, ok := key.(string)
	if !ok || Reserved(name) {
		return json.Unmarshal(text, (*changeText)(c))
	}
	var data json.RawMessage
	if err := d.Decode(&data); err != nil {
		return err
	}
	*c = Change{Slot: &SlotChange{key: name, data: data}}
	return nil
}
