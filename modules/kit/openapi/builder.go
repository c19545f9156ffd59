package openapi

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// Source is what a document is made of.
type Source struct {
	Modules *kit.Collected
	Version string
	URL     string // where clients reach the server; "": unknown
	// Strings makes a document for tools that cannot encode JSON in forms and queries: parameters that are JSON are
	// strings, and bodies are forms.
	Strings bool
}

// New returns the document of a server.
func New(from Source) *Document {
	b := &builder{
		from: from, declared: map[reflect.Type]kit.Schema{}, owner: map[string]reflect.Type{},
		operations: map[string]string{},
		doc: &Document{
			OpenAPI: "3.1.1", Dialect: "https://json-schema.org/draft/2020-12/schema",
			Info: Info{
				Title: "Stoa", Summary: "The API of a team-chat server.", Description: introduction,
				License: License{"Apache License 2.0", "Apache-2.0"}, Version: from.Version, FeatureLevel: realm.FeatureLevel,
			},
			Servers:  servers(from.URL, "/api/v1"),
			Security: []map[string]any{byKey, bySession},
			Paths:    map[string]*Path{},
			Components: Components{
				Schemas: map[string]*Schema{}, Responses: map[string]*Response{}, Examples: map[string]Example{},
				Security: securitySchemes,
			},
			leaves: map[string]*Schema{}, exchanges: map[string]*exchange{},
		},
	}
	for _, s := range slices.Concat(wireTypes, narrowTypes, b.schemas()) {
		b.declared[s.Of] = s
	}
	b.addErrors()
	for _, m := range from.Modules.Modules {
		b.module = m
		b.addEvents(m.Parts.Events)
	}
	b.closeEvents()
	for _, m := range from.Modules.Modules {
		b.module = m
		b.addTag()
		for _, e := range m.Parts.Endpoints {
			if e.Handler == nil {
				b.addOperation(e)
			}
			b.addRaw(e)
		}
	}
	b.doc.addExamples()
	b.doc.addRequests()
	b.doc.addRefusals()
	b.doc.addCases()
	b.doc.addLevels()
	b.doc.addLinks()
	slices.Sort(b.doc.problems)
	b.doc.problems = slices.Compact(b.doc.problems)
	return b.doc
}

// builder makes a document.
type builder struct {
	from       Source
	doc        *Document
	module     kit.Contribution // whose types are described
	declared   map[reflect.Type]kit.Schema
	owner      map[string]reflect.Type // of components
	operations map[string]string       // method and path, by ID
}

func (b *builder) schemas() []kit.Schema {
	var all []kit.Schema
	for _, m := range b.from.Modules.Modules {
		all = append(all, m.Parts.Schemas...)
	}
	return all
}

func (b *builder) problem(format string, args ...any) {
	b.doc.problems = append(b.doc.problems, b.module.Module+": "+fmt.Sprintf(format, args...))
}

func (b *builder) addTag() {
	if slices.ContainsFunc(b.module.Parts.Endpoints, func(e kit.Endpoint) bool { return e.Handler == nil }) {
		b.doc.Tags = append(b.doc.Tags, Tag{b.module.Module, b.module.Doc, b.module.Module})
	}
}

// description returns what a field is: what its tag says, its module's word, what the type says, or the word of all
// modules.
func (b *builder) description(in string, f reflect.StructField, name string) string {
	if text := f.Tag.Get("doc"); text != "" {
		return text
	}
	if text := b.word(name); text != "" {
		return text
	}
	if text := fromFieldType(f.Type); text != "" {
		return text
	}
	if text := words()[name]; text != "" {
		return text
	}
	if text := words()[strings.TrimPrefix(name, "realm_")]; text != "" {
		return text // a setting of the organization, in /register
	}
	b.problem("%s.%s (%v) has no description; add it to the Words of the module", in, name, f.Type)
	return ""
}

func (b *builder) word(name string) string { return b.module.Parts.Words[name] }

func fromFieldType(t reflect.Type) string {
	many := false
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		many = many || t.Kind() == reflect.Slice
		t = t.Elem()
	}
	text := fromType(path.Base(t.PkgPath()), t.Name())
	if many && text != "" {
		text = strings.TrimSuffix(strings.Replace(text, "The ID of the ", "The IDs of the ", 1), ".") + "s."
	}
	return text
}

func servers(url, under string) []Server {
	if url == "" {
		url = "http://localhost:9991"
	}
	return []Server{{
		URL: "{realm}" + under, Variables: map[string]Variable{"realm": {url, "The address of the organization."}},
	}}
}
