package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (r *Raw) get(path string) (any, bool) {
	if r.all == nil {
		r.all = r.k.Raw() // a copy
	}
	var v any = r.all
	for k := range strings.SplitSeq(path, ".") {
		if k == "" {
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[k]; !ok {
			return nil, false
		}
	}
	return v, true
}

// Has reports whether there is a value at a path.
func (r *Raw) Has(path string) bool {
	v, ok := r.get(path)
	return ok && v != nil
}

// Names returns the sorted keys of the section at a path. It is a problem if the value is not a section.
func (r *Raw) Names(path string) ([]string, Problems) {
	v, ok := r.get(path)
	if !ok || v == nil {
		return nil, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, Problems{{path, "want a section of keys, got " + shown(v) + r.line(path)}}
	}
	return sortedKeys(m), nil
}

// Text returns the text at a path, or "".
func (r *Raw) Text(path string) string {
	v, _ := r.get(path)
	s, _ := v.(string)
	return s
}

// named returns what to call a key in problems: the variable that has set it, or else its path.
func (r *Raw) named(path string) string {
	if n, ok := r.names[path]; ok {
		return n
	}
	return path
}

// line returns the position of a value in the file, such as " (line 10)", or "" if the value has another source.
func (r *Raw) line(path string) string {
	if _, ok := r.names[path]; ok || r.flags[path] || r.root == nil {
		return ""
	}
	n := find(r.root, strings.Split(path, "."))
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" (line %d)", n.Line)
}

func find(n *yaml.Node, path []string) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if len(path) == 0 {
		return n
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == path[0] {
				return find(n.Content[i+1], path[1:])
			}
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			if fmt.Sprint(i) == path[0] {
				return find(c, path[1:])
			}
		}
	}
	return nil
}
