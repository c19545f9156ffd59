package openapi

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// direction distinguishes what clients send from what they receive: the server ignores unknown keys, and sends none.
type direction int

const (
	received direction = iota
	sent
)

var (
	rawJSON         = reflect.TypeFor[json.RawMessage]()
	clientEvent     = reflect.TypeFor[kit.AnyClientEvent]()
	allSections     = reflect.TypeFor[kit.AllSections]()
	allKeys         = reflect.TypeFor[kit.AllKeys]()
	publicKeys      = reflect.TypeFor[kit.PublicKeys]()
	moment          = reflect.TypeFor[time.Time]()
	marshaler       = reflect.TypeFor[json.Marshaler]()
	encoded         = reflect.TypeFor[kit.Encoded]()
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// implements reports whether t or a pointer to it has the methods of an interface.
func implements(t, methods reflect.Type) bool {
	return t.Implements(methods) || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(methods)
}

// schema returns the schema of the JSON of a type. Structs become components.
func (b *builder) schema(t reflect.Type, d direction) *Schema {
	if _, ok := b.declared[t]; ok {
		return b.declaredSchema(t, d)
	}
	switch {
	case t == clientEvent:
		return reference("Event")
	case t == moment:
		return &Schema{Type: "string", Format: "date-time"}
	case t == rawJSON, t.Kind() == reflect.Interface && t != encoded:
		return &Schema{}
	case t.Kind() == reflect.Pointer:
		return b.schema(t.Elem(), d).orNull()
	}
	if isNullable(t) {
		f, _ := t.FieldByName("Value")
		return b.schema(f.Type, d).orNull()
	}
	if d == sent && (implements(t, marshaler) || implements(t, encoded)) ||
		d == received && implements(t, unmarshaler) {
		b.problem("the type %v encodes itself; describe it with kit.SchemaOf", t)
		return &Schema{}
	}
	if implements(t, textMarshaler) && d == sent || implements(t, textUnmarshaler) && d == received {
		return &Schema{Type: "string"}
	}
	return b.plain(t, d)
}

func (b *builder) plain(t reflect.Type, d direction) *Schema {
	switch t.Kind() {
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Int, reflect.Int64:
		s := &Schema{Type: "integer", Format: "int64"}
		if isID(t) {
			s.Minimum = pointer(1)
		}
		return s
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return &Schema{Type: "integer", Format: "int32"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Schema{Type: "integer", Format: "int64", Minimum: pointer(0)}
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Slice:
		s := &Schema{Type: "array", Items: b.schema(t.Elem(), d)}
		s.UniqueItems = strings.HasPrefix(t.Name(), "Set[")
		return s
	case reflect.Array:
		return &Schema{Type: "array", Items: b.schema(t.Elem(), d), MinItems: t.Len(), MaxItems: t.Len()}
	case reflect.Map:
		s := &Schema{Type: "object", Additional: b.schema(t.Elem(), d)}
		if t.Key().Kind() != reflect.String {
			s.PropertyNames = &Schema{Pattern: "^-?[0-9]+$"}
		}
		return s
	case reflect.Struct:
		if t.Name() == "" {
			return b.object(t, d, "")
		}
		return b.component(t, b.nameOf(t), d, func(name string) *Schema { return b.object(t, d, name) })
	}
	b.problem("the type %v has no JSON", t)
	return &Schema{}
}

// object returns the schema of the object that a struct becomes.
func (b *builder) object(t reflect.Type, d direction, name string) *Schema {
	s := &Schema{Type: "object"}
	if d == sent {
		s.Additional = false
	}
	b.fields(s, t, d, name)
	return s
}

// fields adds the fields of a struct to an object.
func (b *builder) fields(s *Schema, t reflect.Type, d direction, name string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		b.problem("%s is a %v, which is no struct", name, t)
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == allSections:
			b.addSections(s)
			continue
		case f.Type == allKeys, f.Type == publicKeys:
			b.addKeys(s, f.Type == publicKeys)
			continue
		case f.Anonymous && tag == "":
			required := len(s.Required)
			b.fields(s, f.Type, d, name)
			if f.Type.Kind() == reflect.Pointer { // nil: none of its fields
				s.Required = s.Required[:required]
			}
			continue
		case tag == "-" || !f.IsExported():
			continue
		}
		optional := strings.Contains(options, "omit")
		typ := f.Type
		if optional && typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		p := b.fieldSchema(f, typ, d).described(b.description(name, f, tag))
		if s.Properties.Get(tag) != nil {
			continue // of an embedded struct; the outer one wins in Go's encoding as well
		}
		s.Properties = append(s.Properties, Property{tag, p})
		if d == sent && !optional {
			s.Required = append(s.Required, tag)
		}
	}
}

// declaredSchema returns the schema of a type with a kit.Schema.
func (b *builder) declaredSchema(t reflect.Type, d direction) *Schema {
	decl := b.declared[t]
	if decl.Values != nil {
		return b.component(t, decl.Name, sent, func(string) *Schema { return b.enumeration(t, decl) })
	}
	if decl.Forms == nil && t.Kind() != reflect.Struct {
		return b.component(t, decl.Name, d, func(string) *Schema { return b.plain(t, d).described(decl.Doc) })
	}
	return b.component(t, decl.Name, d, func(name string) *Schema {
		s := &Schema{}
		switch len(decl.Forms) {
		case 0:
			s = b.object(t, d, name)
		case 1:
			if form := decl.Forms[0]; form.Kind() == reflect.Struct {
				s = b.object(form, d, name)
			} else {
				s = b.schema(form, d)
			}
		default:
			for _, form := range decl.Forms {
				if form == nil {
					s.OneOf = append(s.OneOf, &Schema{Type: "null"})
				} else {
					s.OneOf = append(s.OneOf, b.schema(form, d))
				}
			}
			b.overlapping(s)
		}
		return s.described(decl.Doc)
	})
}

// component returns a reference to a component, which it makes at first. The schema of what clients send has a name of
// its own.
func (b *builder) component(t reflect.Type, name string, d direction, make func(name string) *Schema) *Schema {
	if d == received {
		name += "Input"
	}
	if had, ok := b.owner[name]; ok {
		if had != t {
			b.problem("the schema %s is both %v and %v", name, had, t)
		}
		return reference(name)
	}
	b.owner[name] = t
	b.doc.Components.Schemas[name] = nil // while it is made, it may refer to itself
	b.doc.Components.Schemas[name] = make(name)
	return reference(name)
}

func reference(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// nameOf returns the name of a type's schema.
func (b *builder) nameOf(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	path := strings.Split(t.PkgPath(), "/")
	prefix := camel(path[len(path)-1])
	if name = camel(name); strings.HasPrefix(name, prefix) {
		return name
	}
	return prefix + name
}

func isNullable(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[kit.None]().PkgPath() && strings.HasPrefix(t.Name(), "Nullable[")
}

// isID reports whether values of the type identify something.
func isID(t reflect.Type) bool {
	return strings.HasSuffix(t.PkgPath(), "/domain/ids") || strings.HasSuffix(t.Name(), "ID")
}

func pointer(n int64) *int64 { return &n }

// defaultOf returns the JSON of the tag default.
func defaultOf(text string, s *Schema) any {
	if s.Type == "string" {
		return text
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return json.RawMessage(text)
}
