package openapi

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/modules/kit"
)

// addEvents adds a leaf for each form of each event that clients receive.
func (b *builder) addEvents(all []kit.AnyEvent) {
	for _, e := range all {
		if e.Hidden {
			continue
		}
		forms := e.Sent
		if forms == nil {
			if e.Shape != nil || e.PerReceiver != nil {
				b.problem("the event %s/%s has a Shape; describe it with Sends", e.Type, e.Op)
			}
			forms = []reflect.Type{e.Payload}
		}
		for i, form := range forms {
			name := camel(e.Type) + camel(e.Op) + "Event"
			if i > 0 {
				name += strconv.Itoa(i + 1)
			}
			b.addLeaf(name, e.Type, e.Op, form)
		}
	}
}

func (b *builder) addLeaf(name, typ, op string, form reflect.Type) {
	s := &Schema{
		Type: "object", Additional: false, Required: []string{"id", "type"}, Module: b.module.Module,
		Properties: Properties{
			{"id", &Schema{
				Type: "integer", Format: "int64", Description: "The ID of the event, greater than those before it.",
			}},
			{"type", &Schema{Type: "string", Const: typ, Description: "The type of the event."}},
		},
	}
	if op != "" {
		s.Properties = append(s.Properties, Property{"op", &Schema{
			Type: "string", Const: op, Description: "What happened to the object.",
		}})
		s.Required = append(s.Required, "op")
	}
	b.fields(s, form, sent, name)
	b.doc.Components.Schemas[name] = s
	key := typ + "/" + op
	switch had := b.doc.leaves[key]; {
	case had == nil:
		b.doc.leaves[key] = reference(name)
	case had.OneOf == nil:
		b.doc.leaves[key] = &Schema{OneOf: []*Schema{had, reference(name)}}
	default:
		had.OneOf = append(had.OneOf, reference(name))
	}
}

// closeEvents adds the events of the server itself, and the union of all.
func (b *builder) closeEvents() {
	all := &Schema{Description: "An event. Its type and op decide which.", Discriminated: []string{"type", "op"}}
	for _, key := range sorted(b.doc.leaves) {
		leaf := b.doc.leaves[key]
		if leaf.OneOf != nil {
			all.OneOf = append(all.OneOf, leaf.OneOf...)
		} else {
			all.OneOf = append(all.OneOf, leaf)
		}
	}
	if len(all.OneOf) == 0 {
		all = &Schema{Type: "object", Description: all.Description}
	}
	b.doc.Components.Schemas["Event"] = all
}

// addSections adds the keys of all sections of /register. Which of them a response has depends on the request.
func (b *builder) addSections(s *Schema) {
	had := b.module
	defer func() { b.module = had }()
	for _, m := range b.from.Modules.Modules {
		b.module = m
		for _, sec := range m.Parts.Register {
			t := sec.Res
			if sec.Shown != nil {
				t = sec.Shown
			}
			b.addOptional(s, t, sec.Name)
		}
	}
}

// addKeys adds the keys, or the public keys, of all modules that describe a server.
func (b *builder) addKeys(s *Schema, public bool) {
	had := b.module
	defer func() { b.module = had }()
	for _, m := range b.from.Modules.Modules {
		b.module = m
		for _, k := range m.Parts.Keys {
			if k.Public || !public {
				b.addOptional(s, k.Of, "")
			}
		}
	}
}

func (b *builder) addOptional(s *Schema, t reflect.Type, eventType string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		b.problem("the section %s is a %v; describe it with Shows", eventType, t)
		return
	}
	keys := &Schema{}
	b.fields(keys, t, sent, camel(eventType)+"Section")
	for _, p := range keys.Properties {
		if s.Properties.Get(p.Name) != nil {
			continue
		}
		c := p.Schema.described(p.Schema.Description)
		c.Module, c.EventType = b.module.Module, eventType
		s.Properties = append(s.Properties, Property{p.Name, c})
	}
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
