package kit

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	groups "github.com/stoachat/stoa/domain/group"
)

// Words describes parameters, keys of responses and keys of events, by their names on the wire: one sentence for all
// fields of a module that have the name. A struct tag doc:"..." describes a single field. Fields whose type is an ID,
// and names that mean the same in all modules, need neither.
type Words map[string]string

// Fields whose JSON a handler reads itself, such as a string that contains IDs, have tags: forms:"integer | array of
// integer" says which forms their values have, enum:"add,remove" lists the values of a string. What test clients send
// and receive is compared with both, except for fields with lenient:"true", which are ignored in some requests.

// Schema describes a type in the description of the API, if Go's reflection does not say enough.
type Schema struct {
	Of    reflect.Type
	Name  string
	Doc   string
	Forms []reflect.Type // the types whose JSON the type has; nil: what encoding/json makes of it
	// The values of an enumeration, and their names; nil: any.
	Values []any
	Names  []string
}

// Enum lists the values that the type has, and their names in the programs that are generated from the description.
func (s Schema) Enum(names string, values ...any) Schema {
	s.Names, s.Values = strings.Fields(names), values
	return s
}

// SchemaOf names the schema of T, which is otherwise named after its package and itself. If T encodes itself, or is an
// interface, forms are values of the types whose JSON it has, or of one type of which it has the JSON.
func SchemaOf[T any](name, doc string, forms ...any) Schema {
	return Schema{Of: reflect.TypeFor[T](), Name: name, Doc: doc, Forms: types(forms)}
}

// Operation names the endpoint in the description of the API. Clients are generated with this name, so it never
// changes. The default is made of the method and the path.
func (e Endpoint) Operation(id string) Endpoint { e.OperationID = id; return e }

// Fails names codes that responses of the endpoint may have in addition to those of all endpoints, and to those that
// the tests of the standard modules have seen.
func (e Endpoint) Fails(codes ...errs.Code) Endpoint {
	e.Codes = append(slices.Clone(e.Codes), codes...)
	return e
}

// Causing names events of the module that a success may cause, each a type or a type/op, in addition to those that the
// tests of the standard modules have seen.
func (e Endpoint) Causing(events ...string) Endpoint {
	e.Causes = append(slices.Clone(e.Causes), events...)
	return e
}

// Idempotent declares that a request that is repeated, because its response was lost, succeeds as well and changes
// nothing more. GET needs no declaration, and neither do endpoints that read the header Idempotency-Key.
func (e Endpoint) Idempotent() Endpoint { e.SameAgain = true; return e }

// Raw describes an operation of a mounted handler, whose request and response are not those of the API.
type Raw struct {
	ID, Method, Path, Doc string
	Body                  string   // media type; "": none
	Needs, Returns        []string // headers, each "Name: what it is"
	Status                int      // of success
}

// Describes adds operations of a mounted handler to the description of the API.
func (e Endpoint) Describes(all ...Raw) Endpoint { e.Raw = all; return e }

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

// Guide is a page of the description of the API about something that the module knows, such as a service from which it
// takes webhooks.
type Guide struct {
	Under string // the name of the guide that links to it
	Name  string // the last part of its URL: lower-case letters, digits and hyphens
	Title string
	// Text is Markdown with paragraphs, lists, fenced code, **strong**, `code` and [links](https://example.com). In it,
	// {address} is the address of the reader's server.
	Text string
}
