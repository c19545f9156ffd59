package apidocs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// pages is what the pages show of the description of the API.
type pages struct {
	modules    []moduleOperations
	operations []*operation
	events     []*group // by type
	entities   []*group
	errors     []field
	general    map[string]refusal // examples of errors, by code
	guides     []kit.Guide        // of modules
	entries    []entry
}

type moduleOperations struct {
	Name, Doc  string
	Operations []*operation
}

// operation is an operation of the API.
type operation struct {
	*openapi.Operation

	Method, Path string
	Fields       []field // parameters
	Results      []field
	Sample       string // a response, as JSON
	Download     bool
	Redirect     bool
	File         bool // the body is a form with a file

	Examples []example // for the reader's server
	Causes   []cause
	Refusals []refusal
	General  []string // codes without an example of their own
}

// cause is an event that the operation causes.
type cause struct{ Type, Name string }

// group is a named list of schemas: an entity, or the events of a type.
type group struct {
	Folder, Name, Doc string

	Schemas []schema
	UsedBy  []string // IDs of operations
}

type schema struct {
	Name, Doc string
	Since     int
	Changed   []openapi.Change
	Fields    []field
	Forms     []piece // of a schema without fields
}

// field is a parameter or a key.
type field struct {
	Name, Doc, In, Default string
	Required               bool
	Since                  int    // feature level; 0: not known
	Limit                  string // "": none
	Example                json.RawMessage
	Type                   []piece
	Schema                 *openapi.Schema
}

// piece is a part of the text of a type. It may name an entity.
type piece struct{ Text, Entity string }

func newPages(d *openapi.Document, guides []kit.Guide) *pages {
	p := &pages{guides: guides, general: map[string]refusal{}}
	for _, t := range d.Tags {
		p.modules = append(p.modules, moduleOperations{Name: t.Name, Doc: t.Description})
	}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for method, o := range d.Paths[path].Operations() {
			p.add(d, method, path, o)
		}
	}
	p.addSchemas(d)
	for _, property := range d.Components.Schemas["Error"].Properties {
		p.errors = append(p.errors, fieldOf(property, false))
	}
	p.entries = p.index()
	return p
}

func (p *pages) add(d *openapi.Document, method, path string, o *openapi.Operation) {
	shown := &operation{Operation: o, Method: method, Path: "/api/v1" + path}
	if d.Paths[path].Servers != nil {
		shown.Path = path
	}
	for _, q := range o.Parameters {
		s, example := q.Schema, q.Example
		for _, m := range q.Content {
			s, example = m.Schema, m.Example
		}
		shown.Fields = append(shown.Fields, field{
			Name: q.Name, Doc: q.Description, In: q.In, Required: q.Required, Type: typeOf(s), Schema: s, Default: defaultOf(s),
			Since: q.Since, Limit: limitOf(s), Example: example,
		})
	}
	if o.Body != nil {
		for kind, m := range o.Body.Content {
			shown.File = kind == "multipart/form-data"
			if s := d.Schema(m.Schema); len(shown.Fields) == len(o.Parameters) && s != nil {
				shown.Fields = append(shown.Fields, fieldsOf(s, "body")...)
			}
			var given map[string]json.RawMessage
			if json.Unmarshal(m.Example, &given) == nil {
				for i, f := range shown.Fields {
					if f.In == "body" {
						shown.Fields[i].Example = given[f.Name]
					}
				}
			}
		}
	}
	for _, name := range o.Events {
		if typ := d.Components.Schemas[name].Properties.Get("type"); typ != nil {
			shown.Causes = append(shown.Causes, cause{fmt.Sprint(typ.Const), name})
		}
	}
	shown.Refusals, shown.General = p.refusals(d, o)
	shown.Redirect = o.Responses["302"] != nil
	if ok := o.Responses["200"]; ok != nil {
		_, file := ok.Content["application/octet-stream"]
		shown.Download = file
		body := ok.Content["application/json"]
		if s := d.Schema(succeeded(body.Schema)); s != nil {
			shown.Results = fieldsOf(s, "")
		}
		shown.Sample = indented(body.Example)
	}
	p.operations = append(p.operations, shown)
	for i := range p.modules {
		if p.modules[i].Name == o.Module {
			p.modules[i].Operations = append(p.modules[i].Operations, shown)
		}
	}
}

// succeeded returns the schema of a success, where one of an error is beside it.
func succeeded(s *openapi.Schema) *openapi.Schema {
	if s != nil && len(s.AnyOf) > 0 {
		return s.AnyOf[0]
	}
	return s
}

func indented(text json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Indent(&b, text, "", "  ") // was decoded; nothing if there is no example
	return b.String()
}

// addSchemas adds events and entities. Requests and responses are on the pages of their operations.
func (p *pages) addSchemas(d *openapi.Document) {
	events, docs := map[string]*group{}, map[string]string{}
	for _, m := range p.modules {
		docs[m.Name] = m.Doc
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		shown := schema{
			Name: name, Doc: s.Description, Since: s.Since, Changed: s.Changed, Fields: fieldsOf(s, ""),
		}
		if typ := s.Properties.Get("type"); typ != nil && typ.Const != nil && strings.Contains(name, "Event") {
			typ := fmt.Sprint(typ.Const)
			if events[typ] == nil {
				events[typ] = &group{Folder: "events/", Name: typ, Doc: docs[s.Module]}
				p.events = append(p.events, events[typ])
			}
			events[typ].Schemas = append(events[typ].Schemas, shown)
			continue
		}
		if name == "Event" || strings.HasSuffix(name, "Result") || strings.HasSuffix(name, "Request") {
			continue
		}
		if len(shown.Fields) == 0 {
			shown.Forms = typeOf(s)
		}
		p.entities = append(p.entities, &group{
			Folder: "entities/", Name: name, Doc: s.Description, Schemas: []schema{shown}, UsedBy: p.users(name),
		})
	}
	slices.SortFunc(p.events, func(a, b *group) int { return strings.Compare(a.Name, b.Name) })
}

// users returns the operations whose parameters or results have an entity.
func (p *pages) users(entity string) []string {
	var all []string
	for _, o := range p.operations {
		for _, f := range slices.Concat(o.Fields, o.Results) {
			if slices.ContainsFunc(f.Type, func(t piece) bool { return t.Entity == entity }) {
				all = append(all, o.ID)
				break
			}
		}
	}
	return all
}

func (p *pages) operation(id string) *operation {
	for _, o := range p.operations {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// Repeating says whether a request may be sent again if its response was lost; "": for GET, which may always.
func (o *operation) Repeating() string {
	switch header, ok := o.Idempotent.(string); {
	case o.Method == "GET":
		return ""
	case ok:
		return "Safe with the header " + header + ": a repeated request with the same key has no further effect."
	case o.Idempotent == true:
		return "Safe: a repeated request succeeds and has no further effect."
	}
	return "May have another effect, or be refused."
}

// Careful reports whether trying the operation needs a confirmation.
func (o *operation) Careful() bool {
	return o.Method == "DELETE" || o.Access.Rule != "users" && o.Access.Rule != "members" && o.Method != "GET"
}

func find(all []*group, name string) *group {
	for _, g := range all {
		if g.Name == name {
			return g
		}
	}
	return nil
}

func fieldsOf(s *openapi.Schema, in string) []field {
	var all []field
	for _, p := range s.Properties {
		f := fieldOf(p, slices.Contains(s.Required, p.Name))
		f.In = in
		all = append(all, f)
	}
	return all
}

func fieldOf(p openapi.Property, required bool) field {
	return field{
		Name: p.Name, Doc: p.Schema.Description, Required: required, Type: typeOf(p.Schema), Schema: p.Schema,
		Default: defaultOf(p.Schema), Since: p.Schema.Since, Limit: limitOf(p.Schema),
	}
}

func defaultOf(s *openapi.Schema) string {
	if s == nil || s.Default == nil {
		return ""
	}
	return literal(s.Default)
}

// typeOf returns the text of a type.
func typeOf(s *openapi.Schema) []piece {
	if s == nil {
		return []piece{{Text: "any"}}
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return []piece{{name, name}}
	}
	if forms := slices.Concat(s.OneOf, s.AnyOf); len(forms) > 0 {
		var all []piece
		for i, f := range forms {
			if i > 0 {
				all = append(all, piece{Text: " or "})
			}
			all = append(all, typeOf(f)...)
		}
		return all
	}
	kinds := openapi.Kinds(s)
	switch {
	case len(kinds) == 0:
		return []piece{{Text: "any"}}
	case kinds[0] == "array" && s.Items != nil:
		return withNull(append([]piece{{Text: "array of "}}, typeOf(s.Items)...), kinds)
	case kinds[0] == "object":
		if of, ok := s.Additional.(*openapi.Schema); ok {
			return withNull(append([]piece{{Text: "map to "}}, typeOf(of)...), kinds)
		}
	}
	if s.Const != nil {
		return []piece{{Text: literal(s.Const)}}
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, literal(v))
		}
		return []piece{{Text: strings.Join(values, " or ")}}
	}
	return []piece{{Text: strings.Join(kinds, " or ")}}
}

func withNull(all []piece, kinds []string) []piece {
	if slices.Contains(kinds, "null") {
		all = append(all, piece{Text: " or null"})
	}
	return all
}

// limitOf says how large values may be; "": as large as a request.
func limitOf(s *openapi.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.MaxLength > 0:
		return fmt.Sprintf("At most %d characters.", s.MaxLength)
	case s.MaxItems > 0 && s.MinItems != s.MaxItems:
		return fmt.Sprintf("At most %d elements.", s.MaxItems)
	case s.Maximum != nil:
		return fmt.Sprintf("At most %d.", *s.Maximum)
	}
	return ""
}
