package config

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

const masked = "********"

var (
	credentials = regexp.MustCompile(`(://[^/@:\s]*:)[^/\s]*(@)`)
	// Such a URL is invalid if its password contains a slash or a space, and then it is in an error message.
	unescaped = regexp.MustCompile(`(?i)(postgres(?:ql)?://[^/@:\s]*:)(?:\S*|[^/@\n]*)(@)`)
	inQuery   = regexp.MustCompile(`(?i)((?:password|secret|key|token)\s*=\s*)(?:'(?:[^'\\]|\\.)*'|(?:\\.|[^&\s])+)`)
)

// Masked returns s with passwords in URLs masked.
func Masked(s string) string { return maskURL(s) }

func maskURL(s string) string {
	for _, userinfo := range []*regexp.Regexp{unescaped, credentials} {
		s = userinfo.ReplaceAllString(s, "${1}"+masked+"${2}")
	}
	return inQuery.ReplaceAllString(s, "${1}"+masked)
}

// Print returns a configuration as YAML, with every key and its value. Secrets (kit.Secret) and passwords in URLs are
// masked.
func Print(v any) (string, error) {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return "", err
	}
	mask(&n)
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

// mask masks passwords in URLs.
func mask(n *yaml.Node) {
	for _, c := range n.Content {
		mask(c)
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if m := maskURL(n.Value); m != n.Value {
			n.SetString(m)
		}
	}
}
