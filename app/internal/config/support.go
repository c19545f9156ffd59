package config

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// changed stands for a text that differs from its default.
const changed = "(changed)"

var duration = regexp.MustCompile(`^(?:[0-9.]+(?:ns|µs|ms|s|m|h))+$`)

// PrintForSupport returns a configuration as Print does, without its texts: of those that differ from the defaults, it
// says only that they do. They may be names, addresses or paths.
func PrintForSupport(v, defaults any) (string, error) {
	var n, d yaml.Node
	if err := n.Encode(v); err != nil {
		return "", err
	}
	if err := d.Encode(defaults); err != nil {
		return "", err
	}
	conceal(&n, &d)
	out, err := yaml.Marshal(&n)
	return string(out), err
}

// conceal replaces the texts in n that are not in d at the same place.
func conceal(n, d *yaml.Node) {
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			of := child(d, key.Value)
			if of == nil {
				of = &yaml.Node{}
				key.Value = fmt.Sprintf("key%d", i/2+1)
			}
			conceal(value, of)
		}
	case n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			conceal(c, &yaml.Node{})
		}
	case n.Tag == "!!str" && n.Value != "" && n.Value != d.Value && !duration.MatchString(n.Value):
		n.SetString(changed)
	}
}

// child returns the value of a key in a mapping, or nil.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
