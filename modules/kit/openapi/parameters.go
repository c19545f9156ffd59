package openapi

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// parameter is a field of a request.
type parameter struct {
	name, description, alias string
	in                       string // "path", "query", "header"; "": query or body, as the method has it
	schema                   *Schema
	required, rest, file     bool
}

var fileType = reflect.TypeFor[kit.File]()

// addParameters describes the request.
func (b *builder) addParameters(o *Operation, x *exchange, e kit.Endpoint, name string) {
	if e.Req == nil || e.Req.Kind() != reflect.Struct {
		x.any = true
		return
	}
	all := b.parameters(e.Req, e, name)
	x.any = hasField(e.Req, paramsType) || hasField(e.Req, bodyType)
	x.schemas = map[string]*Schema{}
	x.names = []string{"client", "method"} // which all operations take
	for i, p := range all {
		p.schema = b.limited(o.ID, p.name, p.schema)
		all[i] = p
		x.required, x.aliased = x.required || p.required && p.in != "path", x.aliased || p.alias != ""
		x.names = append(x.names, p.name)
		x.names = append(x.names, strings.Split(p.alias, ",")...)
		x.schemas[p.name] = p.schema
	}
	slices.Sort(x.names)
	if e.KeyParam != "" {
		all = slices.DeleteFunc(all, func(p parameter) bool { return p.name == e.KeyParam })
	}
	var body []parameter
	for _, p := range all {
		if b.from.Strings && isJSON(p.schema) && !p.file {
			p.schema = &Schema{Type: "string", JSONSchema: p.schema}
			p.description += " As JSON."
		}
		switch {
		case p.in == "" && e.Method != http.MethodGet && e.Method != http.MethodDelete:
			body = append(body, p)
			continue
		case p.in == "":
			p.in = "query"
		}
		q := Parameter{
			Name: p.name, In: p.in, Description: p.description, Required: p.required, Rest: p.rest, Alias: p.alias,
		}
		if isJSON(p.schema) && p.in == "query" {
			q.Content = map[string]Media{"application/json": {Schema: p.schema}}
		} else {
			q.Schema = p.schema
		}
		o.Parameters = append(o.Parameters, q)
	}
	if len(body) > 0 {
		o.Body = b.body(body, name)
	} else if hasField(e.Req, bodyType) {
		o.Body = &Body{Content: map[string]Media{"*/*": {}}}
	}
}

// isJSON reports whether a parameter is JSON that is not also the text of a scalar.
func isJSON(s *Schema) bool {
	kinds := Kinds(s)
	return len(kinds) == 0 || slices.Contains(kinds, "array") || slices.Contains(kinds, "object") ||
		len(kinds) > 1 && kinds[0] != "string"
}

// body returns a request body with the parameters.
func (b *builder) body(all []parameter, name string) *Body {
	s := &Schema{Type: "object", Additional: false}
	encoding := map[string]Encoding{}
	required, file := false, false
	for _, p := range all {
		c := p.schema.described(p.description)
		c.Alias = p.alias
		s.Properties = append(s.Properties, Property{p.name, c})
		if p.required {
			s.Required = append(s.Required, p.name)
			required = true
		}
		file = file || p.file
		if isJSON(p.schema) && !p.file {
			encoding[p.name] = Encoding{"application/json"}
		}
	}
	b.doc.Components.Schemas[name] = s
	ref := reference(name)
	if file {
		return &Body{required, map[string]Media{"multipart/form-data": {Schema: ref, Encoding: encoding}}}
	}
	form := Media{Schema: ref, Encoding: encoding}
	if b.from.Strings {
		return &Body{required, map[string]Media{"application/x-www-form-urlencoded": form}}
	}
	return &Body{required, map[string]Media{
		"application/json":                  {Schema: ref},
		"application/x-www-form-urlencoded": form,
	}}
}

var (
	bodyType    = reflect.TypeFor[kit.Body]()
	headersType = reflect.TypeFor[kit.Headers]()
	paramsType  = reflect.TypeFor[kit.Params]()
)

func (b *builder) parameters(t reflect.Type, e kit.Endpoint, name string) []parameter {
	var all []parameter
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch base := dereferenced(f.Type); {
		case f.Type == bodyType, f.Type == headersType, f.Type == paramsType:
		case base == fileType:
			all = append(all, parameter{
				name: f.Tag.Get("file"), file: true, required: f.Type == base,
				schema: &Schema{}, description: b.fileDescription(f),
			})
		case f.Anonymous && tag == "" && base.Kind() == reflect.Struct:
			all = append(all, b.parameters(base, e, name)...)
		case f.Tag.Get("header") != "":
			if h := f.Tag.Get("header"); h != "Cookie" {
				all = append(all, parameter{
					name: h, in: "header", schema: &Schema{Type: "string"}, description: b.description(name, f, h),
				})
			}
		case tag == "-" || tag == "" || !f.IsExported():
		default:
			all = append(all, b.parameter(f, tag, e, name))
		}
	}
	return all
}

func (b *builder) parameter(f reflect.StructField, tag string, e kit.Endpoint, name string) parameter {
	s := b.fieldSchema(f, dereferenced(f.Type), received)
	p := parameter{
		name: tag, description: b.description(name, f, tag), alias: f.Tag.Get("alias"), in: f.Tag.Get("in"), schema: s,
	}
	text, hasDefault := f.Tag.Lookup("default")
	if hasDefault {
		c := *s
		c.Default = defaultOf(text, s)
		if n, ok := c.Default.(int64); ok && c.Minimum != nil && n < *c.Minimum {
			c.Minimum = &n // such as 0, for no ID
		}
		p.schema = &c
	}
	p.required = f.Type.Kind() != reflect.Pointer && !hasDefault && !isNullable(f.Type)
	for _, in := range e.PathParams() {
		if strings.TrimSuffix(in, "+") == tag {
			p.in, p.rest, p.required = "path", strings.HasSuffix(in, "+"), true
			c := *p.schema
			c.Default = nil
			p.schema = &c
		}
	}
	return p
}

func (b *builder) fileDescription(f reflect.StructField) string {
	if text := f.Tag.Get("doc"); text != "" {
		return text
	}
	return "The file, a part of the form."
}

func dereferenced(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func hasField(t, of reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Type == of {
			return true
		}
	}
	return false
}
