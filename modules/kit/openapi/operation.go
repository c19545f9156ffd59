package openapi

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// addOperation adds a route.
func (b *builder) addOperation(e kit.Endpoint) {
	id := OperationID(e)
	if other, taken := b.operations[id]; taken {
		b.problem("%s %s has the name %s of %s; give it another with Operation", e.Method, e.Path, id, other)
	}
	b.operations[id] = e.Method + " " + e.Path
	if !strings.HasSuffix(e.Doc, ".") {
		b.problem("%s %s has no description", e.Method, e.Path)
	}
	o := &Operation{
		Tags: []string{b.module.Module}, Summary: strings.TrimSuffix(e.Doc, "."), Description: e.Doc, ID: id,
		Module: b.module.Module, Access: accessRule(e.Access), Security: security(e),
		Rate: b.rate(e),
	}
	x := &exchange{operation: o}
	b.doc.exchanges[e.Method+" "+template(e.Path)] = x
	b.addParameters(o, x, e, camel(id)+"Request")
	if o.Body != nil {
		o.MaxBody = e.Limit
	}
	o.Codes, o.causes = b.codes(e, x, id), slices.Concat(e.Causes, seenCauses()[id])
	o.Events = b.doc.schemasOf(o.causes)
	o.Idempotent, o.Number = idempotent(e, o), numberOf(id)
	o.Responses = b.responses(x, e, camel(id)+"Result")
	b.place(e, o)
}

// idempotencyKey is the header with which a request can be repeated safely.
const idempotencyKey = "Idempotency-Key"

// idempotent returns the value of x-idempotent; nil: a repeated request may have another effect.
func idempotent(e kit.Endpoint, o *Operation) any {
	switch {
	case slices.ContainsFunc(o.Parameters, func(p Parameter) bool { return p.In == "header" && p.Name == idempotencyKey }):
		return idempotencyKey
	case e.Method == http.MethodGet || e.SameAgain:
		return true
	}
	return nil
}

func (b *builder) place(e kit.Endpoint, o *Operation) {
	name := template(e.Path)
	p := b.doc.Paths[name]
	if p == nil {
		p = &Path{}
		if e.Root {
			p.Servers = servers(b.from.URL, "")
		}
		b.doc.Paths[name] = p
	}
	switch e.Method {
	case http.MethodGet:
		p.Get = o
	case http.MethodHead:
		p.Head = o
	case http.MethodPut:
		p.Put = o
	case http.MethodPost:
		p.Post = o
	case http.MethodDelete:
		p.Delete = o
	case http.MethodPatch:
		p.Patch = o
	}
}

// template returns a path in the spelling of OpenAPI.
func template(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, ":"); ok {
			segments[i] = "{" + strings.TrimSuffix(name, "+") + "}"
		}
	}
	return strings.Join(segments, "/")
}

func (b *builder) rate(e kit.Endpoint) *RateLimit {
	r := &RateLimit{Class: cmp.Or(e.RateClass, kit.RateRequests), Window: int(b.from.Modules.RateWindow.Seconds())}
	if !kit.OwnRateClass(e.RateClass) {
		r.Class = b.module.Module + "." + e.RateClass
	}
	class := b.from.Modules.Rates[r.Class]
	r.PerUser, r.PerRealm = class.PerUser, class.PerRealm
	if r.PerUser+r.PerRealm == 0 {
		r.Window = 0
	}
	return r
}

var (
	downloadType = reflect.TypeFor[*kit.Download]()
	redirectType = reflect.TypeFor[kit.Redirect]()
)

func (b *builder) responses(x *exchange, e kit.Endpoint, name string) map[string]*Response {
	all := map[string]*Response{}
	add := func(statuses ...int) {
		for _, s := range statuses {
			all[strconv.Itoa(s)] = &Response{Ref: "#/components/responses/" + camel(http.StatusText(s))}
		}
	}
	switch e.Res {
	case redirectType:
		all["302"] = &Response{Description: "A redirect.", Headers: map[string]Header{
			"Location": {"Where to.", &Schema{Type: "string"}},
		}}
	case downloadType:
		file := map[string]Media{"application/octet-stream": {}}
		all["200"] = &Response{Description: "The file.", Content: file}
		all["206"] = &Response{Description: "The part of the file that Range asks for.", Content: file}
		all["304"] = &Response{Description: "The file has not changed."}
	default:
		x.result = b.result(e, name)
		all["200"] = &Response{
			Description: "Success.", Content: map[string]Media{"application/json": {Schema: x.result}},
		}
	}
	// 404: there is no such object, or no organization at the address.
	add(http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable,
		http.StatusInternalServerError)
	if !e.Access.Open() || e.KeyParam != "" || e.RateClass == kit.LoginClass || e.PasswordParam != "" {
		add(http.StatusUnauthorized)
	}
	if slices.Contains(x.operation.Codes, errs.CSRF) {
		add(http.StatusForbidden)
	}
	if e.Method == http.MethodGet { // whose parameters are in the URL
		add(http.StatusRequestHeaderFieldsTooLarge)
	}
	if e.Method != http.MethodGet && e.Method != http.MethodDelete {
		add(http.StatusRequestEntityTooLarge)
	}
	return all
}

// result returns the schema of a successful response, in which the keys of all responses are beside its own.
func (b *builder) result(e kit.Endpoint, name string) *Schema {
	t := e.Res
	if e.Shown != nil {
		t = e.Shown
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[kit.None]() || t.Kind() == reflect.Struct && t.NumField() == 0 {
		return reference("Success")
	}
	s := success()
	switch {
	case t.Kind() == reflect.Struct:
		b.fields(s, t, sent, name)
	case t.Kind() == reflect.Map && t.Elem() == rawJSON: // keys that are data
		s.Additional = &Schema{}
	default:
		b.problem("%s %s has the response %v; describe it with Shows", e.Method, e.Path, t)
		s.Additional = nil
	}
	s.Properties = append(s.Properties, ignored)
	b.doc.Components.Schemas[name] = s
	return reference(name)
}

// success returns the schema of a response without keys of its own.
func success() *Schema {
	return &Schema{
		Type: "object", Additional: false, Required: []string{"result", "msg"},
		Properties: Properties{
			{"result", &Schema{Type: "string", Const: "success", Description: "Whether the request succeeded."}},
			{"msg", &Schema{Type: "string", Description: "Empty, or a text for people."}},
		},
	}
}

// ignored is a key of all successful responses.
var ignored = Property{"ignored_parameters_unsupported", &Schema{
	Type: "array", Items: &Schema{Type: "string"}, Description: "The parameters that the operation does not know.",
}}
