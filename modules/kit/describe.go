package kit

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	groups "github.com/stoachat/stoa/domain/group"
)

// Words describes parameters, keys of responses and keys of events, by their names on the wire: one sentence for all
// fields of a module that have the name. A struct tag doc:"..." describes a single field. Fields whose type is an ID,
// and names that mean the same in all modules, need neither.
type Words map[string]string

// Schema describes a type in the description of the API, if Go's reflection does not say enough.
type Schema struct {
	Of    reflect.Type
	Name  string
	Doc   string
	Forms []reflect.Type // the types whose JSON the type has; nil: what encoding/json makes of it
}

// SchemaOf names the schema of T, which is otherwise named after its package and itself. If T encodes itself, or is an
// interface, forms are values of the types whose JSON it has, or of one type of which it has the JSON.
func SchemaOf[T any](name, doc string, forms ...any) Schema {
	return Schema{Of: reflect.TypeFor[T](), Name: name, Doc: doc, Forms: types(forms)}
}

// Operation names the endpoint in the description of the API. Clients are generated with this name, so it never
// changes. The default is made of the method and the path.
func (e Endpoint) Operation(id string) Endpoint { e.OperationID = id; return e }

// Shows describes the response by a value of another type, for a Res that encodes itself.
func (e Endpoint) Shows(res any) Endpoint { e.Shown = reflect.TypeOf(res); return e }

// Shows describes the section by a value of another type, for one that is a map or encodes itself.
func (s Section) Shows(res any) Section { s.Shown = reflect.TypeOf(res); return s }

// Sends describes what clients receive in addition to id, type and op, if that is not the payload: values of the types
// that Shape and PerReceiver return, including the fields of Personal.
func (t EventType[T]) Sends(forms ...any) EventType[T] {
	return t.with(func(e *AnyEvent) { e.Sent = types(forms) })
}

// Internal declares that no client receives the event.
func (t EventType[T]) Internal() EventType[T] {
	return t.with(func(e *AnyEvent) { e.Hidden = true })
}

// AllSections stands for the keys of all sections in a description of the response of /register, which embeds it.
type AllSections struct{}

// Keys are keys of the response of /register that the type of no section describes.
type Keys struct {
	Of     reflect.Type
	Public bool // the response of /server_settings has them as well
}

// KeysOf returns the keys that are the fields of T.
func KeysOf[T any]() Keys { return Keys{Of: reflect.TypeFor[T]()} }

// AllKeys stands for the Keys of all modules in a description of the response of /register, which embeds it.
type AllKeys struct{}

// PublicKeys stands for the public Keys of all modules in a description of the response of /server_settings.
type PublicKeys struct{}

// AnyClientEvent stands for the events of all modules in a description.
type AnyClientEvent any

func types(values []any) []reflect.Type {
	var all []reflect.Type
	for _, v := range values {
		all = append(all, reflect.TypeOf(v))
	}
	return all
}

// ValuesOf returns a value of a struct type with the fields of patch, whose pointers say which settings a request
// changes: as a response contains the settings. Their names get a prefix. as holds values of the types of settings that
// have another one in responses, and of keys that are no settings.
func ValuesOf(patch any, prefix string, as map[string]any) any {
	t := reflect.TypeOf(patch)
	var fields []reflect.StructField
	add := func(field, name string, t reflect.Type) {
		fields = append(fields, reflect.StructField{
			Name: field, Type: t, Tag: reflect.StructTag(`json:"` + prefix + name + `,omitempty"`),
		})
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ := f.Type.Elem()
		switch other, ok := as[name]; {
		case ok:
			typ = reflect.TypeOf(other)
			delete(as, name)
		case typ == reflect.TypeFor[groups.Update]():
			typ = reflect.TypeFor[groups.Setting]()
		}
		add(f.Name, name, typ)
	}
	for _, name := range slices.Sorted(maps.Keys(as)) {
		add("Key_"+name, name, reflect.TypeOf(as[name]))
	}
	return reflect.New(reflect.StructOf(fields)).Elem().Interface()
}
