package openapi

import (
	_ "embed" // examples.jsonl
	"encoding/json"
	"strings"
	"sync"
)

// examples.jsonl has a successful response of each operation that returns more than "success": a line each, in the form
// of Recorded. Tests have received them; `make examples` writes the file.
//
//go:embed examples.jsonl
var examplesText string

// Recorded is what a test has seen of an operation: a response, or events that a success has caused.
type Recorded struct {
	ID       string          `json:"id"`               // of the operation
	Status   int             `json:"status,omitempty"` // 0: 200
	Response json.RawMessage `json:"response,omitempty"`
	Events   []string        `json:"events,omitempty"` // types, with a slash before the op, if there is one
}

// examples returns the recorded responses by operation.
var examples = sync.OnceValue(func() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for line := range strings.Lines(examplesText) {
		var r Recorded
		if json.Unmarshal([]byte(line), &r) == nil {
			all[r.ID] = r.Response
		}
	}
	return all
})

// addExamples adds the recorded responses, except those with keys of modules that do not run.
func (d *Document) addExamples() {
	c := NewChecker(d)
	for _, x := range d.exchanges {
		text, found := examples()[x.operation.ID]
		response := x.operation.Responses["200"]
		if !found || x.result == nil || response == nil {
			continue
		}
		if c.admits(x.result, text) {
			response.Content["application/json"] = Media{Schema: x.result, Example: text}
		}
	}
}
