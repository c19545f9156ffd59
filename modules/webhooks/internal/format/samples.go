package format

import (
	_ "embed" // samples.yaml
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// samples.yaml has a request of each service, taken from the tests of the formats.
//
//go:embed samples.yaml
var samplesText []byte

// Sample is a request of a service, and the message that it becomes.
type Sample struct {
	Headers map[string]string `yaml:"headers"`
	Type    string            `yaml:"type"` // media type of the body
	Body    string            `yaml:"body"`
	Message Message           `yaml:"-"`
}

// addSamples adds the samples to the integrations.
func addSamples(all []Integration) error {
	var samples map[string]Sample
	if err := yaml.Unmarshal(samplesText, &samples); err != nil {
		return fmt.Errorf("samples.yaml: %w", err)
	}
	for i, one := range all {
		s, ok := samples[one.Name]
		if !ok {
			return fmt.Errorf("samples.yaml has no request of %s", one.Name)
		}
		s.Body = strings.TrimSpace(s.Body)
		if s.Type == "" {
			s.Type = "application/json"
		}
		m, err := one.Format(s.request())
		if err != nil {
			return fmt.Errorf("samples.yaml, %s: %w", one.Name, err)
		}
		s.Message = m.Clean()
		all[i].Sample = s
	}
	return nil
}

func (s Sample) request() Request {
	r := Request{
		Type: s.Type, Body: []byte(s.Body), Headers: s.Headers, Params: map[string]string{},
		Header: func(name string) string { return s.Headers[name] },
	}
	if strings.HasPrefix(s.Type, "application/x-www-form-urlencoded") {
		if fields, err := url.ParseQuery(s.Body); err == nil {
			r.Payload = fields.Get("payload")
		}
	}
	return r
}

// Text returns the request as HTTP writes it: headers, an empty line, the body.
func (s Sample) Text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		fmt.Fprintf(&b, "%s: %s\n", name, s.Headers[name])
	}
	fmt.Fprintf(&b, "Content-Type: %s\n\n%s\n", s.Type, s.Body)
	return b.String()
}
