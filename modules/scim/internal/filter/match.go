// Package filter parses and evaluates filters and paths (RFC 7644, sections 3.4.2.2 and 3.5.2). The length, the nesting
// and the number of terms are limited.
package filter

import (
	"strconv"
	"strings"

	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// Match reports whether an object fulfills a filter. Attributes that the resource does not have are absent.
func Match(r *schema.Resource, e Expression, object map[string]any) bool {
	m := matcher{r: r}
	return m.match(e, object)
}

// MatchValue reports whether a value of a multi-valued attribute fulfills a filter.
func MatchValue(a *schema.Attribute, e Expression, value map[string]any) bool {
	m := matcher{within: a}
	return m.match(e, value)
}

type matcher struct {
	r      *schema.Resource
	within *schema.Attribute // the attribute of which a value is examined; nil: the whole resource
}

func (m matcher) match(e Expression, object map[string]any) bool {
	switch x := e.(type) {
	case Both:
		return m.match(x.Left, object) && m.match(x.Right, object)
	case Either:
		return m.match(x.Left, object) || m.match(x.Right, object)
	case Not:
		return !m.match(x.Of, object)
	case Within:
		return m.matchWithin(x, object)
	case Comparison:
		return m.compare(x, object)
	}
	return false
}

func (m matcher) matchWithin(x Within, object map[string]any) bool {
	a, v := m.find(x.Path, object)
	if a == nil {
		return false
	}
	inner := matcher{r: m.r, within: a}
	for _, one := range listOf(v) {
		if o, ok := one.(map[string]any); ok && inner.match(x.Of, o) {
			return true
		}
	}
	return false
}

// find returns an attribute and its value in an object.
func (m matcher) find(path string, object map[string]any) (*schema.Attribute, any) {
	if m.within != nil {
		a := m.within.Sub(path)
		if a == nil {
			return nil, nil
		}
		return a, object[a.Name]
	}
	urn, name := m.r.CutURN(path)
	name, sub, _ := strings.Cut(name, ".")
	a := m.r.Find(urn, name)
	if a == nil {
		return nil, nil
	}
	if urn != "" && urn != m.r.Core.ID {
		object, _ = object[urn].(map[string]any)
	}
	v := object[a.Name]
	if sub == "" {
		return a, v
	}
	b := a.Sub(sub)
	if b == nil {
		return nil, nil
	}
	var all []any
	for _, one := range listOf(v) {
		if o, ok := one.(map[string]any); ok && o[b.Name] != nil {
			all = append(all, o[b.Name])
		}
	}
	return b, all
}

func listOf(v any) []any {
	switch x := v.(type) {
	case nil:
		return nil
	case []any:
		return x
	}
	return []any{v}
}

func (m matcher) compare(c Comparison, object map[string]any) bool {
	a, v := m.find(c.Path, object)
	if a == nil {
		return c.Op == "ne"
	}
	all := listOf(v)
	if c.Op == "pr" || c.Value == nil {
		present := len(all) > 0
		return present == (c.Op == "pr" || c.Op == "ne")
	}
	if c.Op == "ne" { // true if no value equals, as clients expect of an absent attribute
		c.Op = "eq"
		return !m.any(a, c, all)
	}
	return m.any(a, c, all)
}

func (m matcher) any(a *schema.Attribute, c Comparison, all []any) bool {
	for _, one := range all {
		if o, ok := one.(map[string]any); ok { // of a complex attribute, its value is compared
			b := a.Sub("value")
			if b == nil {
				continue
			}
			if fits(b, c, o[b.Name]) {
				return true
			}
		} else if fits(a, c, one) {
			return true
		}
	}
	return false
}

// fits compares one value.
func fits(a *schema.Attribute, c Comparison, v any) bool {
	if b, ok := v.(bool); ok {
		want, ok := Bool(c.Value)
		return ok && c.Op == "eq" && b == want
	}
	have, ok := v.(string)
	if !ok {
		return false
	}
	var want string
	switch x := c.Value.(type) {
	case string:
		want = x
	case float64:
		want = strconv.FormatFloat(x, 'f', -1, 64)
	default:
		return false
	}
	if !a.CaseExact {
		have, want = strings.ToLower(have), strings.ToLower(want)
	}
	switch c.Op {
	case "eq":
		return have == want
	case "co":
		return strings.Contains(have, want)
	case "sw":
		return strings.HasPrefix(have, want)
	case "ew":
		return strings.HasSuffix(have, want)
	case "gt":
		return have > want
	case "ge":
		return have >= want
	case "lt":
		return have < want
	case "le":
		return have <= want
	}
	return false
}

// Bool returns a boolean that may be written as a string, as Entra does.
func Bool(v any) (value, ok bool) {
	switch x := v.(type) {
	case bool:
		return x, true
	case string:
		if strings.EqualFold(x, "true") {
			return true, true
		}
		return false, strings.EqualFold(x, "false")
	}
	return false, false
}
