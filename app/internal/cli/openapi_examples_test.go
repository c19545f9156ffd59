package cli_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
)

// withoutExample are operations whose success has no example.
var withoutExample = []string{
	"getMessagesSummary",                        // never succeeds
	"putModule", "updateModule", "deleteModule", // respond with what the module returns
}

// TestExamples checks that each operation that returns more than "success" has an example of a response. make examples
// records those that kittest.Client receives; others are written by hand.
func TestExamples(t *testing.T) {
	for path, p := range describedByAll(t).Paths {
		for method, o := range p.Operations() {
			ok := o.Responses["200"]
			if ok == nil {
				continue // it only redirects
			}
			for _, media := range ok.Content {
				if slices.Contains(withoutExample, o.ID) {
					continue
				}
				if media.Schema != nil && media.Schema.Ref != "#/components/schemas/Success" && media.Example == nil &&
					media.Examples == nil {
					t.Errorf("%s (%s %s) has no example, or one that differs from its description; run make examples",
						o.ID, method, path)
				}
			}
		}
	}
}

// withoutRequest are operations whose requests have no example, with the reason.
var withoutRequest = map[string]string{}

// TestExamplesOfRequests checks that each operation with parameters has an example of those that it requires. make
// examples records those that kittest.Client sends in forms; others are written by hand.
func TestExamplesOfRequests(t *testing.T) {
	d := describedByAll(t)
	missing := maps.Clone(withoutRequest)
	for _, p := range d.Paths {
		for _, o := range p.Operations() {
			switch _, known := missing[o.ID]; {
			case !o.Takes(d) || o.Shown() && !known:
			case known && !o.Shown():
				delete(missing, o.ID)
			case !known:
				t.Errorf("%s has no example of a request: run make examples", o.ID)
			}
		}
	}
	for id := range missing {
		t.Errorf("%s is excused, but has an example, or takes no parameters", id)
	}
}

// withoutRefusal are codes of operations that no test receives, with the reason.
var withoutRefusal = map[string]string{}

// TestExamplesOfErrors checks that each status of each operation has an example of an error, and each code of its own
// as well. Those of the server itself are in the responses that operations share.
func TestExamplesOfErrors(t *testing.T) {
	d := describedByAll(t)
	examples, missing := 0, maps.Clone(withoutRefusal)
	for _, p := range d.Paths {
		for _, o := range p.Operations() {
			statuses, codes := map[string]bool{}, map[errs.Code]bool{}
			for _, r := range d.Refusals(o) {
				statuses[strconv.Itoa(r.Status)], codes[r.Code()] = true, true
				examples++
			}
			for _, code := range o.Codes {
				key := o.ID + " " + string(code)
				switch _, known := missing[key]; {
				case !codes[code] && !known:
					t.Errorf("%s has no example: run make examples", key)
				case !codes[code]:
					delete(missing, key)
				}
			}
			for status, r := range o.Responses {
				n, err := strconv.Atoi(status)
				if refused := err == nil && n >= http.StatusBadRequest; refused && !statuses[status] {
					t.Errorf("%s has no example of the status %s %s", o.ID, status, r.Ref)
				}
			}
		}
	}
	for key := range missing {
		t.Errorf("%s is excused, but has an example, or does not exist", key)
	}
	t.Logf("%d examples of errors, of which %d differ", examples, len(d.Components.Examples))
}
