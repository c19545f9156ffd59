package openapi

import (
	"bytes"
	_ "embed" // errors.jsonl
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
)

// errors.jsonl has responses of refused requests: a line each, in the form of Refused. Tests have received them; `make
// examples` writes the file.
//
//go:embed errors.jsonl
var refusalsText string

// Refused is the response of a refused request.
type Refused struct {
	IDs      []string        `json:"ids,omitempty"` // of the operations; none: the server refuses requests for all
	Status   int             `json:"status"`
	Response json.RawMessage `json:"response"`
}

// Code returns the code of the response.
func (r Refused) Code() errs.Code {
	var e struct {
		Code errs.Code `json:"code"`
	}
	_ = json.Unmarshal(r.Response, &e) // none, which is no code of an operation
	return e.Code
}

// General reports whether the server itself refused the request, so that one example stands for all operations.
func (r Refused) General() bool {
	return IsGeneral(r.Code()) || r.Status == http.StatusRequestHeaderFieldsTooLarge ||
		r.Code() == errs.BadRequest && bytes.Contains(r.Response, []byte(`"The request body has no Content-Type`))
}

var refusals = sync.OnceValue(func() []Refused {
	var all []Refused
	for line := range strings.Lines(refusalsText) {
		var r Refused
		if json.Unmarshal([]byte(line), &r) == nil {
			all = append(all, r)
		}
	}
	return all
})

// IsGeneral reports whether the server itself refuses requests with a code, before an operation sees them. One example
// stands for all operations.
func IsGeneral(c errs.Code) bool {
	switch c {
	case errs.Missing, errs.Invalid, errs.Confusing, errs.InvalidJSON, errs.Unauthorized, errs.InvalidAPIKey,
		errs.UserDeactivated, errs.RealmDeactivated, errs.NonexistentSubdomain, errs.CSRF,
		errs.UnauthorizedPrincipal, errs.TooLarge, errs.RateLimit, errs.Unavailable, errs.Maintenance, errs.Internal:
		return true
	}
	return false
}

// addRefusals adds the recorded responses of refused requests: general ones to the responses that operations share,
// others to those of the operations, which get the statuses of the responses.
func (d *Document) addRefusals() {
	counts := map[errs.Code]int{}
	for _, r := range refusals() {
		code := r.Code()
		counts[code]++
		name := camel(strings.ToLower(string(code))) + strconv.Itoa(counts[code])
		if len(r.IDs) == 0 {
			if shared := d.Components.Responses[camel(http.StatusText(r.Status))]; shared != nil {
				shared.exemplify(string(code), Example{Value: r.Response})
			}
			continue
		}
		for _, id := range r.IDs {
			o := d.operation(id)
			if o == nil || !slices.Contains(o.Codes, code) {
				continue
			}
			d.Components.Examples[name] = Example{Value: r.Response}
			d.own(o, r.Status).exemplify(string(code), Example{Ref: "#/components/examples/" + name})
		}
	}
	d.shared = maps.Clone(d.Components.Responses)
	maps.DeleteFunc(d.Components.Responses, func(name string, _ *Response) bool { return !d.uses(name) })
}

// uses reports whether an operation refers to a shared response.
func (d *Document) uses(response string) bool {
	for _, x := range d.exchanges {
		for _, r := range x.operation.Responses {
			if r.Ref == "#/components/responses/"+response {
				return true
			}
		}
	}
	return false
}

// own returns the response of an operation with a status, which it no longer shares with others.
func (d *Document) own(o *Operation, status int) *Response {
	key := strconv.Itoa(status)
	switch had := o.Responses[key]; {
	case had != nil && had.Ref == "":
		if media, ok := had.Content["application/json"]; ok && status == http.StatusOK && media.Schema.AnyOf == nil {
			had.Content["application/json"] = Media{
				Schema: &Schema{AnyOf: []*Schema{media.Schema, reference("Error")}}, Example: media.Example,
			}
		}
		return had
	default:
		c := Response{
			Description: http.StatusText(status) + ".",
			Content:     map[string]Media{"application/json": {Schema: reference("Error")}},
		}
		if shared := d.Components.Responses[camel(http.StatusText(status))]; shared != nil {
			c.Description, c.Headers = shared.Description, shared.Headers
		}
		o.Responses[key] = &c
		return &c
	}
}

// exemplify adds an example to a response. A single one that it has becomes one of several.
func (r *Response) exemplify(name string, e Example) {
	m := r.Content["application/json"]
	if m.Examples == nil {
		m.Examples = map[string]Example{}
		if m.Example != nil {
			m.Examples[successExample], m.Example = Example{Value: m.Example}, nil
		}
	}
	m.Examples[name] = e
	r.Content["application/json"] = m
}

// successExample is the name of the example of a success beside errors with the same status.
const successExample = "success"

// Refusals returns the recorded errors of an operation: its own, and general ones that it lists, by code and status.
func (d *Document) Refusals(o *Operation) []Refused {
	var all []Refused
	for _, status := range sorted(o.Responses) {
		n, err := strconv.Atoi(status)
		if err != nil {
			continue // of other protocols
		}
		for _, r := range []*Response{o.Responses[status], d.shared[camel(http.StatusText(n))]} {
			if r == nil {
				continue
			}
			examples := r.Content["application/json"].Examples
			for _, code := range sorted(examples) {
				e := examples[code]
				if name, ok := strings.CutPrefix(e.Ref, "#/components/examples/"); ok {
					e = d.Components.Examples[name]
				}
				if slices.Contains(o.Codes, errs.Code(code)) {
					all = append(all, Refused{[]string{o.ID}, n, e.Value})
				}
			}
		}
	}
	return all
}
