package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// Checker compares responses with a document. It is for tests: it knows the schemas that New makes, not all of JSON
// Schema.
type Checker struct {
	doc    *Document
	routes []described
}

// described is what the document says about a route.
type described struct {
	method   string
	segments []string
	*exchange
}

// exchange is what a client sends and receives.
type exchange struct {
	operation *Operation

	result  *Schema            // of successful responses; nil: a file
	names   []string           // of parameters, sorted, including older ones
	schemas map[string]*Schema // of parameters
	any     bool               // takes parameters with any names

	required bool // a parameter outside of the path
	aliased  bool // a parameter has another name
}

// NewChecker returns a checker of the responses of a server.
func NewChecker(d *Document) *Checker {
	c := &Checker{doc: d}
	for key, x := range d.exchanges {
		method, path, _ := strings.Cut(key, " ")
		c.routes = append(c.routes, described{method, strings.Split(path, "/"), x})
	}
	return c
}

// Exchange returns in what a successful response, or the parameters of its request, differ from the description; "": in
// nothing. Of a refused request it compares the error, whose code the description of the operation must list. path is
// the path of the request under /api/v1. Routes that are not in the document are not checked.
func (c *Checker) Exchange(method, path string, parameters url.Values, status int, body []byte) string {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return "" // a file
	}
	object, _ := v.(map[string]any)
	switch {
	case object["result"] == "error":
		return cmp.Or(c.value("", v, reference("Error")), extraKey(object), c.code(method, path, object["code"]))
	case status != 200 || object["result"] != "success":
		return ""
	}
	r := c.route(method, path)
	if r == nil || r.result == nil {
		return ""
	}
	if text := c.value("", v, r.result); text != "" {
		return text
	}
	for name := range parameters {
		if !r.knows(name, object) {
			return fmt.Sprintf("the request has the parameter %s, which is not described and has not been ignored", name)
		}
	}
	return c.parameters(r, parameters)
}

// extraKey checks that the keys of an error are those of its code.
func extraKey(object map[string]any) string {
	code := errs.Code(fmt.Sprint(object["code"]))
	if !slices.Contains(errs.Codes(), code) {
		return "" // of a module
	}
	for _, x := range extras() {
		if _, has := object[x.Name]; has && !slices.Contains(x.codes, code) {
			return fmt.Sprintf("an error with the code %s has the key %s: add the code to the key in errors.go", code, x.Name)
		}
	}
	return ""
}

// code checks that the code of an error is one of the operation.
func (c *Checker) code(method, path string, sent any) string {
	r := c.route(method, path)
	code := errs.Code(fmt.Sprint(sent))
	if r == nil || slices.Contains(r.operation.Codes, code) {
		return ""
	}
	return fmt.Sprintf("%s does not list the code %v: add it to codes.txt, or to the route with Fails",
		r.operation.ID, code)
}

// Admits reports whether a response is one that an operation may have.
func (d *Document) Admits(id string, response []byte) bool {
	for _, x := range d.exchanges {
		if x.operation.ID == id {
			return x.result != nil && NewChecker(d).admits(x.result, response)
		}
	}
	return false
}

func (c *Checker) admits(s *Schema, response []byte) bool {
	var v any
	d := json.NewDecoder(bytes.NewReader(response))
	d.UseNumber()
	return d.Decode(&v) == nil && c.value("", v, s) == ""
}

// parameters compares the values of a successful request with the forms and values that tags say: those of other types
// have been decoded by their Go types, some of which accept more than is described.
func (c *Checker) parameters(r *described, all url.Values) string {
	for _, name := range sorted(all) {
		s := r.schemas[name]
		if s == nil || !s.tagged {
			continue
		}
		for _, text := range all[name] {
			if problem := c.parameter(name, text, s); problem != "" {
				return "the parameter " + problem
			}
		}
	}
	return ""
}

// parameter compares the text of a parameter, which is JSON unless its schema is a string.
func (c *Checker) parameter(name, text string, s *Schema) string {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) == nil && (v == nil || c.value(name, v, s) == "") {
		return "" // null counts as missing
	}
	return c.value(name, text, s)
}

// knows reports whether a parameter is described, or the response says that it was ignored.
func (r *exchange) knows(name string, response map[string]any) bool {
	ignored, _ := response[ignored.Name].([]any)
	_, known := slices.BinarySearch(r.names, name)
	return known || r.any || slices.Contains(ignored, any(name))
}

// Operation returns the operation of a request; nil: none that is described.
func (c *Checker) Operation(method, path string) *Operation {
	if r := c.route(method, path); r != nil {
		return r.operation
	}
	return nil
}

// route returns the route that matches best: in the first segment in which two differ, the one without a parameter.
func (c *Checker) route(method, path string) *described {
	segments := strings.Split(path, "/")
	var best *described
	for i := range c.routes {
		r := &c.routes[i]
		if r.method == method && r.matches(segments) && (best == nil || r.before(best)) {
			best = r
		}
	}
	return best
}

func (r *described) matches(segments []string) bool {
	if len(r.segments) != len(segments) {
		return false
	}
	for i, s := range r.segments {
		if s != segments[i] && !strings.HasPrefix(s, "{") {
			return false
		}
	}
	return true
}

func (r *described) before(other *described) bool {
	for i, s := range r.segments {
		if a, b := strings.HasPrefix(s, "{"), strings.HasPrefix(other.segments[i], "{"); a != b {
			return b
		}
	}
	return false
}

// value compares a value with a schema.
func (c *Checker) value(at string, v any, s *Schema) string {
	if s.Ref == "#/components/schemas/Event" {
		return c.event(at, v)
	}
	s = c.doc.Schema(s)
	if s == nil {
		return at + " has a reference to no schema"
	}
	if any := slices.Concat(s.OneOf, s.AnyOf); len(any) > 0 {
		return c.oneOf(at, v, any)
	}
	if s.Const != nil && v != s.Const {
		return fmt.Sprintf("%s is %v, not %v", at, v, s.Const)
	}
	if s.Type != nil && !s.admits(kindOf(v)) {
		return fmt.Sprintf("%s is %s (%.60v), not %v", at, kindOf(v), v, s.Type)
	}
	if s.Enum != nil && v != nil && !isAlias(fmt.Sprint(v)) &&
		!slices.ContainsFunc(s.Enum, func(e any) bool { return spelled(e) == fmt.Sprint(v) }) {
		return fmt.Sprintf("%s is %v, not one of %v", at, v, s.Enum)
	}
	if text := limits(at, v, s); text != "" {
		return text
	}
	switch v := v.(type) {
	case []any:
		return c.list(at, v, s)
	case map[string]any:
		return c.object(at, v, s)
	}
	return ""
}

func (c *Checker) oneOf(at string, v any, forms []*Schema) string {
	var all []string
	for _, f := range forms {
		text := c.value(at, v, f)
		if text == "" {
			return ""
		}
		all = append(all, text)
	}
	return strings.Join(all, ", and ")
}

// event compares an event with the schemas that its type and op select.
func (c *Checker) event(at string, v any) string {
	e, _ := v.(map[string]any)
	op, _ := e["op"].(string)
	key := fmt.Sprint(e["type"], "/", op)
	leaf := c.doc.leaves[key]
	if leaf == nil {
		leaf = c.doc.leaves[fmt.Sprint(e["type"], "/")] // whose op is a field
	}
	if leaf == nil {
		return fmt.Sprintf("%s is an event %s, which is not described", at, key)
	}
	return c.value(at+"("+key+")", v, leaf)
}

// checkedElements is how many elements of a list are compared with their schema.
const checkedElements = 50

func (c *Checker) list(at string, v []any, s *Schema) string {
	if s.Items == nil {
		return ""
	}
	for i, x := range v[:min(len(v), checkedElements)] {
		if text := c.value(fmt.Sprintf("%s/%d", at, i), x, s.Items); text != "" {
			return text
		}
	}
	return ""
}

func (c *Checker) object(at string, v map[string]any, s *Schema) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return fmt.Sprintf("%s has no %s", at, name)
		}
	}
	for _, name := range sorted(v) {
		p := s.Properties.Get(name)
		if p == nil {
			p, _ = s.Additional.(*Schema)
		}
		if p == nil {
			if s.Additional == false && !isAlias(name) {
				return fmt.Sprintf("%s has the key %s, which is not described", at, name)
			}
			continue
		}
		if text := c.value(at+"/"+name, v[name], p); text != "" {
			return text
		}
	}
	return ""
}

// isAlias reports whether a key repeats another under the name that older clients expect.
func isAlias(name string) bool {
	return strings.HasPrefix(name, "zulip_") || strings.HasPrefix(name, "realm_zulip_")
}

// admits reports whether values of a kind have one of the types of the schema.
func (s *Schema) admits(kind string) bool {
	all := Kinds(s)
	return slices.Contains(all, kind) || kind == "integer" && slices.Contains(all, "number")
}

// Kinds returns the types that a schema admits; none: all.
func Kinds(s *Schema) []string {
	if one, ok := s.Type.(string); ok {
		return []string{one}
	}
	all, _ := s.Type.([]string)
	return all
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}

// Fingerprint returns a text that differs between servers whose documents differ.
func (s Source) Fingerprint() string {
	var b strings.Builder
	for _, m := range s.Modules.Modules {
		b.WriteString(m.Module + ":")
		for _, e := range m.Parts.Endpoints {
			fmt.Fprintf(&b, "%s%s%p%p%p;", e.Method, e.Path, e.Req, e.Res, e.Shown)
		}
		for _, e := range m.Parts.Events {
			fmt.Fprintf(&b, "%s/%s%p%p;", e.Type, e.Op, e.Payload, e.Sent)
		}
		for _, r := range m.Parts.Register {
			fmt.Fprintf(&b, "%s%p%p;", r.Name, r.Res, r.Shown)
		}
	}
	return b.String()
}

// spelled returns the JSON of a value of an enumeration, without quotes.
func spelled(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return strings.Trim(string(b), `"`)
}
