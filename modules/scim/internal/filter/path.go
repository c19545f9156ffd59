package filter

import (
	"encoding/json"
	"errors"
	"strings"
)

func unquote(text string) (string, error) {
	var s string
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return "", errors.New("a string in the filter is not valid JSON")
	}
	return s, nil
}

// Path is the path of an operation: attribute, attribute.sub, attribute[filter] or attribute[filter].sub.
type Path struct {
	Attribute string     // with the URN of its schema if given
	Filter    Expression // nil: none
	Sub       string     // "": none
}

// ParsePath parses the path of an operation; see RFC 7644, section 3.5.2. The URN stays in front of the attribute.
func ParsePath(text string) (Path, error) {
	if len(text) > MaxLength {
		return Path{}, errors.New("the path is too long")
	}
	p := &parser{text: text}
	name, err := p.path()
	if err != nil {
		return Path{}, err
	}
	out := Path{Attribute: name}
	if p.symbol('[') {
		if out.Filter, err = p.enclosed(']'); err != nil {
			return Path{}, err
		}
		if p.at < len(p.text) && p.text[p.at] == '.' {
			p.at++
			if out.Sub, err = p.path(); err != nil {
				return Path{}, err
			}
		}
	}
	if p.spaces(); p.at < len(p.text) {
		return Path{}, errors.New("the path is invalid")
	}
	if out.Filter == nil {
		out.Attribute, out.Sub = cutSub(name)
	}
	if out.Attribute == "" {
		return Path{}, errors.New("the path names no attribute")
	}
	return out, nil
}

// cutSub splits an attribute and its sub-attribute. The dots in a URN precede its last colon.
func cutSub(name string) (attribute, sub string) {
	colon := strings.LastIndexByte(name, ':')
	if dot := strings.IndexByte(name[colon+1:], '.'); dot >= 0 {
		return name[:colon+1+dot], name[colon+dot+2:]
	}
	return name, ""
}

// Equalities returns the values that a filter requires of attributes, if it consists of nothing else, as in
// type eq "work" and primary eq true.
func Equalities(e Expression) (map[string]any, bool) {
	switch x := e.(type) {
	case Comparison:
		if strings.EqualFold(x.Op, "eq") && x.Value != nil {
			return map[string]any{x.Path: x.Value}, true
		}
	case Both:
		left, ok := Equalities(x.Left)
		right, also := Equalities(x.Right)
		if !ok || !also {
			return nil, false
		}
		for k, v := range right {
			left[k] = v
		}
		return left, true
	}
	return nil, false
}

// Required returns the string that a filter requires an attribute to equal, because every match has it.
func Required(e Expression, attribute string) (string, bool) {
	switch x := e.(type) {
	case Comparison:
		if s, ok := x.Value.(string); ok && x.Op == "eq" && strings.EqualFold(x.Path, attribute) {
			return s, true
		}
	case Both:
		if s, ok := Required(x.Left, attribute); ok {
			return s, true
		}
		return Required(x.Right, attribute)
	}
	return "", false
}
