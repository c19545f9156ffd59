package format

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestSamples checks that each service has a sample that becomes a message with a text of its own, and that the samples
// of services with payloads in testdata are among these.
func TestSamples(t *testing.T) {
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	files := services(t)
	for _, one := range all {
		m := one.Sample.Message
		if m.Content == "" || strings.Contains(m.Content, "sent the event `") {
			t.Errorf("%s: the sample becomes %q", one.Name, m.Content)
		}
		if !slices.ContainsFunc(files, func(f Integration) bool { return f.Name == one.Name }) {
			continue
		}
		if !slices.ContainsFunc(payloads(t, one.Name), func(p payload) bool { return sameBody(p.Body, one.Sample.Body) }) {
			t.Errorf("%s: the sample is not in testdata", one.Name)
		}
	}
}

func sameBody(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil {
		return reflect.DeepEqual(x, y)
	}
	return strings.TrimSpace(a) == b
}
