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

// requests.jsonl has the parameters of a successful request to each operation that takes any: a line each, in the form
// of Recorded. Tests have sent them; `make examples` writes the file.
//
//go:embed requests.jsonl
var requestsText string

// Recorded is what a test has seen of an operation: a response, the parameters of a request that succeeded, or events
// that a success has caused.
type Recorded struct {
	ID       string          `json:"id"`                // of the operation
	Status   int             `json:"status,omitempty"`  // 0: 200
	Request  json.RawMessage `json:"request,omitempty"` // an object with the parameters
	Response json.RawMessage `json:"response,omitempty"`
	Events   []string        `json:"events,omitempty"` // types, with a slash before the op, if there is one
}

// examples returns the recorded responses by operation.
var examples = sync.OnceValue(func() map[string]json.RawMessage {
	return readRecorded(examplesText, func(r Recorded) json.RawMessage { return r.Response })
})

// requests returns the recorded parameters by operation.
var requests = sync.OnceValue(func() map[string]json.RawMessage {
	return readRecorded(requestsText, func(r Recorded) json.RawMessage { return r.Request })
})

func readRecorded(text string, part func(Recorded) json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for line := range strings.Lines(text) {
		var r Recorded
		if json.Unmarshal([]byte(line), &r) == nil {
			all[r.ID] = part(r)
		}
	}
	return all
}

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
