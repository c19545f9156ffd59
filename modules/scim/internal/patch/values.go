package patch

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/modules/scim/internal/filter"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// Limits of values.
const (
	maxText   = 1024   // bytes
	maxValues = 10_000 // of an attribute
)

// setMany changes an attribute with several values.
func setMany(a *schema.Attribute, object map[string]any, p filter.Path, o Operation) error {
	have, _ := object[a.Name].([]any)
	var err error
	switch {
	case p.Filter != nil:
		have, err = setMatching(a, have, p, o)
	case p.Sub != "":
		have, err = setEach(a, have, p.Sub, o)
	case o.Op == "remove" && o.Value == nil:
		have = nil
	case o.Op == "remove":
		var gone []any
		gone, err = coerceList(a, o.Value)
		have = without(have, gone)
	default:
		var given []any
		given, err = coerceList(a, o.Value)
		if o.Op == "add" {
			given = slices.Concat(have, without(given, have))
		}
		have = unique(given)
	}
	if err != nil {
		return err
	}
	if len(have) > maxValues {
		return fail("tooMany", "%s can have at most %d values.", a.Name, maxValues)
	}
	if object[a.Name] = have; len(have) == 0 {
		delete(object, a.Name)
	}
	return nil
}

// setMatching changes the values that fulfill the path's filter. If there are none, and the filter says what such a
// value has, it is created.
func setMatching(a *schema.Attribute, have []any, p filter.Path, o Operation) ([]any, error) {
	var sub *schema.Attribute
	if p.Sub != "" {
		if sub = a.Sub(p.Sub); sub == nil {
			return nil, fail("invalidPath", "%s has no %q.", a.Name, clip(p.Sub))
		}
	}
	var given any
	if o.Op != "remove" {
		var err error
		if sub != nil {
			given, err = coerce(sub, o.Value)
		} else {
			given, err = coerceOne(a, o.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	var out []any
	found := false
	for _, v := range have {
		one, _ := v.(map[string]any)
		if !filter.MatchValue(a, p.Filter, one) {
			out = append(out, v)
			continue
		}
		found = true
		switch {
		case o.Op == "remove" && sub == nil:
			continue
		case o.Op == "remove":
			delete(one, sub.Name)
		default:
			merge(one, sub, given)
		}
		out = append(out, one)
	}
	if found || o.Op == "remove" {
		return out, nil
	}
	equal, ok := filter.Equalities(p.Filter)
	if !ok {
		return nil, fail("noTarget", "No value of %s fulfills the filter.", a.Name)
	}
	one := map[string]any{}
	for name, v := range equal {
		s := a.Sub(name)
		if s == nil {
			return nil, fail("invalidPath", "%s has no %q.", a.Name, clip(name))
		}
		c, err := coerce(s, v)
		if err != nil {
			return nil, err
		}
		one[s.Name] = c
	}
	merge(one, sub, given)
	return append(out, one), nil
}

// merge sets a sub-attribute, or all that are given.
func merge(one map[string]any, sub *schema.Attribute, given any) {
	if sub != nil {
		one[sub.Name] = given
		return
	}
	fields, _ := given.(map[string]any)
	for k, v := range fields {
		one[k] = v
	}
}

// setEach changes a sub-attribute of all values.
func setEach(a *schema.Attribute, have []any, name string, o Operation) ([]any, error) {
	sub := a.Sub(name)
	if sub == nil {
		return nil, fail("invalidPath", "%s has no %q.", a.Name, clip(name))
	}
	var given any
	if o.Op != "remove" {
		var err error
		if given, err = coerce(sub, o.Value); err != nil {
			return nil, err
		}
		if len(have) == 0 {
			have = []any{map[string]any{}}
		}
	}
	for _, v := range have {
		one, ok := v.(map[string]any)
		switch {
		case !ok:
		case o.Op == "remove":
			delete(one, sub.Name)
		default:
			one[sub.Name] = given
		}
	}
	return have, nil
}

// coerceList returns values of a multi-valued attribute; a single one may be given without a list.
func coerceList(a *schema.Attribute, v any) ([]any, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if len(list) > maxValues {
		return nil, fail("tooMany", "%s can have at most %d values.", a.Name, maxValues)
	}
	out := make([]any, 0, len(list))
	for _, one := range list {
		c, err := coerceOne(a, one)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// coerce returns a value of an attribute as its schema says.
func coerce(a *schema.Attribute, v any) (any, error) {
	if a.MultiValued {
		return coerceList(a, v)
	}
	if list, ok := v.([]any); ok { // a list of one, as Entra sends
		if len(list) != 1 {
			return nil, fail("invalidValue", "%s has a single value.", a.Name)
		}
		v = list[0]
	}
	if o, ok := v.(map[string]any); ok && a.Type != schema.Complex {
		v = o["value"]
	}
	return coerceOne(a, v)
}

func coerceOne(a *schema.Attribute, v any) (any, error) {
	switch a.Type {
	case schema.Complex:
		return coerceComplex(a, v)
	case schema.Boolean:
		if b, ok := filter.Bool(v); ok {
			return b, nil
		}
		return nil, fail("invalidValue", "%s must be true or false.", a.Name)
	}
	switch x := v.(type) {
	case string:
		if len(x) > maxText || !utf8.ValidString(x) || strings.ContainsRune(x, 0) {
			return nil, fail("invalidValue", "%s must be a text of at most %d bytes.", a.Name, maxText)
		}
		return x, nil
	case float64: // such as the number of an employee
		b, err := json.Marshal(x)
		return string(b), err
	}
	return nil, fail("invalidValue", "%s must be a string.", a.Name)
}

// coerceComplex returns a value with the sub-attributes that the schema has. A string is the sub-attribute value.
func coerceComplex(a *schema.Attribute, v any) (any, error) {
	if s, ok := v.(string); ok && a.Sub("value") != nil {
		v = map[string]any{"value": s}
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fail("invalidValue", "%s must be an object.", a.Name)
	}
	out := map[string]any{}
	for _, name := range sortedKeys(fields) {
		sub := a.Sub(name)
		if sub == nil || fields[name] == nil {
			continue
		}
		if _, twice := out[sub.Name]; twice {
			return nil, fail("invalidSyntax", "%q is given twice.", clip(name))
		}
		c, err := coerce(sub, fields[name])
		if err != nil {
			return nil, err
		}
		out[sub.Name] = c
	}
	return out, nil
}

// identity returns what tells values of an attribute apart.
func identity(v any) any {
	if o, ok := v.(map[string]any); ok {
		return o["value"]
	}
	return v
}

// without returns the values that others do not contain.
func without(all, others []any) []any {
	gone := make(map[any]bool, len(others))
	for _, v := range others {
		gone[identity(v)] = true
	}
	var out []any
	for _, v := range all {
		if !gone[identity(v)] {
			out = append(out, v)
		}
	}
	return out
}

// unique returns the values without repetitions.
func unique(all []any) []any {
	seen := make(map[any]bool, len(all))
	var out []any
	for _, v := range all {
		if id := identity(v); !seen[id] {
			seen[id] = true
			out = append(out, v)
		}
	}
	return out
}
