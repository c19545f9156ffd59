package config

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

const masked = "********"

var (
	credentials = regexp.MustCompile(`(://[^/@:\s]*:)[^/\s]*(@)`)
	inQuery     = regexp.MustCompile(`(?i)((?:password|secret|key|token)=)[^&\s]+`)
)

// Masked returns s with passwords in URLs masked.
func Masked(s string) string { return maskURL(s) }

func maskURL(s string) string {
	return inQuery.ReplaceAllString(credentials.ReplaceAllString(s, "${1}"+masked+"${2}"), "${1}"+masked)
}

// secret reports whether values under the given key are never shown.
func secret(key string) bool {
	k := strings.ToLower(key)
	for _, part := range []string{"secret", "password", "key", "token"} {
		if strings.Contains(k, part) {
			return true
		}
	}
	return false
}

// Print returns a configuration as YAML, with every key and its value. Secrets are masked.
func Print(v any) (string, error) {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return "", err
	}
	mask(&n, false)
	out, err := yaml.Marshal(&n)
	return string(out), err
}

// Section converts a config struct to a section of a configuration file.
func Section(cfg any) (map[string]any, error) {
	b, err := yaml.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	m := map[string]any{}
	return m, yaml.Unmarshal(b, &m)
}

func mask(n *yaml.Node, hide bool) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			mask(n.Content[i+1], hide || secret(n.Content[i].Value))
		}
	case yaml.SequenceNode, yaml.DocumentNode:
		for _, c := range n.Content {
			mask(c, hide)
		}
	case yaml.ScalarNode:
		if n.Tag != "!!str" || n.Value == "" {
			return
		}
		if hide {
			n.SetString(masked)
		} else if m := maskURL(n.Value); m != n.Value {
			n.SetString(m)
		}
	}
}
