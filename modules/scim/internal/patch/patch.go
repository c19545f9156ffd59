// Package patch changes resources as clients ask (RFC 7644, section 3.5.2), and evens out what Okta and Entra send:
// operations with capitals, booleans as strings, operations without a path whose values have paths as keys, values that
// do not exist yet, and removals with a list of values.
package patch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/scim/internal/filter"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// MaxOperations is the maximum number of operations in a request.
const MaxOperations = 1000

// Operation is an operation of a request.
type Operation struct {
	Op    string
	Path  string
	Value any
}

// Error is an error of the request, with its scimType.
type Error struct{ Type, Detail string }

func (e *Error) Error() string { return e.Detail }

func fail(kind, format string, args ...any) error { return &Error{kind, fmt.Sprintf(format, args...)} }

// Read parses the body of a PATCH request.
func Read(body []byte) ([]Operation, error) {
	var in struct {
		Operations []struct {
			Op    string          `json:"op"`
			Path  string          `json:"path"`
			Value json.RawMessage `json:"value"`
		} `json:"Operations"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fail("invalidSyntax", "The body is not a PatchOp message.")
	}
	switch n := len(in.Operations); {
	case n == 0:
		return nil, fail("invalidSyntax", "There are no Operations.")
	case n > MaxOperations:
		return nil, fail("tooMany", "A request can have at most %d operations.", MaxOperations)
	}
	all := make([]Operation, len(in.Operations))
	for i, o := range in.Operations {
		all[i] = Operation{Op: strings.ToLower(o.Op), Path: strings.TrimSpace(o.Path)}
		switch all[i].Op {
		case "add", "replace", "remove":
		default:
			return nil, fail("invalidSyntax", "An operation is neither add, replace nor remove.")
		}
		if len(o.Value) > 0 {
			if err := json.Unmarshal(o.Value, &all[i].Value); err != nil {
				return nil, fail("invalidSyntax", "A value is not valid JSON.")
			}
		}
	}
	return all, nil
}

// Result is a changed resource.
type Result struct {
	Object  map[string]any
	Touched map[string]bool // attributes that were named, with the URN of an extension and a colon before it
}

type change struct {
	r *schema.Resource
	Result
}

// Apply applies operations to a resource, which it changes.
func Apply(r *schema.Resource, object map[string]any, operations []Operation) (Result, error) {
	c := change{r, Result{object, map[string]bool{}}}
	for _, o := range operations {
		if err := c.apply(o); err != nil {
			return Result{}, err
		}
	}
	return c.Result, nil
}

// Whole returns the resource in the body of POST or PUT, without what clients cannot set.
func Whole(r *schema.Resource, body []byte) (Result, error) {
	var in any
	if err := json.Unmarshal(body, &in); err != nil {
		return Result{}, fail("invalidSyntax", "The body is not valid JSON.")
	}
	if _, ok := in.(map[string]any); !ok {
		return Result{}, fail("invalidSyntax", "The body is not a JSON object.")
	}
	return Apply(r, map[string]any{}, []Operation{{Op: "add", Value: in}})
}

func (c *change) apply(o Operation) error {
	if o.Path != "" {
		return c.at(o, false)
	}
	if o.Op == "remove" {
		return fail("noTarget", "remove needs a path.")
	}
	return c.each(o, "", o.Value)
}

// each applies an operation without a path: the keys of its value are paths.
func (c *change) each(o Operation, urn string, value any) error {
	fields, ok := value.(map[string]any)
	if !ok {
		return fail("invalidValue", "Without a path, the value must be an object.")
	}
	seen := map[string]bool{}
	for _, name := range sortedKeys(fields) {
		key := strings.ToLower(name)
		if seen[key] {
			return fail("invalidSyntax", "%q is given twice.", clip(name))
		}
		seen[key] = true
		if urn == "" && c.r.Schema(name) != nil && strings.Contains(name, ":") {
			if err := c.each(o, c.r.Schema(name).ID, fields[name]); err != nil {
				return err
			}
			continue
		}
		path := name
		if urn != "" {
			path = urn + ":" + name
		}
		if err := c.at(Operation{o.Op, path, fields[name]}, true); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func clip(s string) string { return s[:min(len(s), 100)] }

// at applies an operation with a path. Without lenience, attributes that clients cannot set are refused; with it, they
// are ignored, as in a body with the whole resource.
func (c *change) at(o Operation, lenient bool) error {
	if s := c.r.Schema(o.Path); s != nil && s != c.r.Core { // the path is that of an extension
		if o.Op != "remove" {
			return c.each(o, s.ID, o.Value)
		}
		for _, a := range s.Attributes {
			c.Touched[s.ID+":"+a.Name] = true
		}
		delete(c.Object, s.ID)
		return nil
	}
	p, err := filter.ParsePath(o.Path)
	if err != nil {
		if lenient {
			return nil // a key that the server does not know
		}
		return fail("invalidPath", "%s", err)
	}
	urn, name := c.r.CutURN(p.Attribute)
	a := c.r.Find(urn, name)
	switch {
	case a == nil && (lenient || c.r.Dropped(urn, name)):
		return nil
	case a == nil:
		return fail("invalidPath", "There is no attribute %q.", clip(o.Path))
	case a.Mutability == schema.ReadOnly && lenient:
		return nil
	case a.Mutability == schema.ReadOnly:
		return fail("mutability", "%s cannot be changed.", a.Name)
	}
	object, key := c.Object, a.Name
	if s := c.r.Schema(urn); s != c.r.Core {
		key = s.ID + ":" + a.Name
		inner, _ := object[s.ID].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			object[s.ID] = inner
		}
		object = inner
	}
	c.Touched[key] = true
	if o.Value == nil && o.Op != "remove" { // null means absent
		o.Op = "remove"
	}
	return set(a, object, p, o)
}

// set changes one attribute of an object.
func set(a *schema.Attribute, object map[string]any, p filter.Path, o Operation) error {
	switch {
	case p.Filter != nil && !a.MultiValued:
		return fail("invalidPath", "%s has a single value.", a.Name)
	case a.MultiValued:
		return setMany(a, object, p, o)
	case p.Sub != "":
		return setSub(a, object, p.Sub, o)
	case o.Op == "remove":
		delete(object, a.Name)
		return nil
	}
	v, err := coerce(a, o.Value)
	if err != nil {
		return err
	}
	if old, ok := object[a.Name].(map[string]any); ok { // sub-attributes that are not named stay
		if now, ok := v.(map[string]any); ok {
			for k, x := range now {
				old[k] = x
			}
			return nil
		}
	}
	object[a.Name] = v
	return nil
}

// setSub changes a sub-attribute of a complex attribute with one value.
func setSub(a *schema.Attribute, object map[string]any, name string, o Operation) error {
	sub := a.Sub(name)
	if sub == nil {
		return fail("invalidPath", "%s has no %q.", a.Name, clip(name))
	}
	if sub.Mutability == schema.ReadOnly {
		return nil
	}
	inner, _ := object[a.Name].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
	}
	if o.Op == "remove" {
		delete(inner, sub.Name)
	} else {
		v, err := coerce(sub, o.Value)
		if err != nil {
			return err
		}
		inner[sub.Name] = v
	}
	if object[a.Name] = inner; len(inner) == 0 {
		delete(object, a.Name)
	}
	return nil
}
