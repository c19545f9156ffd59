package openapi

import (
	"strconv"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// addRaw adds the operations of a mounted handler under /api/v1.
func (b *builder) addRaw(e kit.Endpoint) {
	for _, r := range e.Raw {
		e := e
		e.Method, e.Path = r.Method, strings.TrimPrefix(e.Path, "/api/v1")+r.Path
		o := &Operation{
			Tags: []string{b.module.Module}, Summary: strings.TrimSuffix(r.Doc, "."), Description: r.Doc, ID: r.ID,
			Module: b.module.Module, Access: accessRule(e.Access), Security: security(e),
			Rate: b.rate(e), Responses: map[string]*Response{},
		}
		for _, p := range e.PathParams() {
			o.Parameters = append(o.Parameters, Parameter{
				Name: strings.TrimSuffix(p, "+"), In: "path", Required: true, Rest: strings.HasSuffix(p, "+"),
				Description: "The rest of the URL in Location.", Schema: &Schema{Type: "string"},
				Example: encodedText("24e533e02ec3bc40"),
			})
		}
		for _, h := range r.Needs {
			name, text, _ := strings.Cut(h, ": ")
			o.Parameters = append(o.Parameters, Parameter{
				Name: name, In: "header", Required: true, Description: text,
				Schema: &Schema{Type: "string"},
			})
		}
		if r.Body != "" {
			o.Body, o.MaxBody = &Body{Content: map[string]Media{
				r.Body: {Schema: &Schema{Type: "string", Format: "binary"}},
			}}, e.Limit
		}
		ok := &Response{Description: "Success.", Headers: map[string]Header{}}
		for _, h := range r.Returns {
			name, text, _ := strings.Cut(h, ": ")
			ok.Headers[name] = Header{text, &Schema{Type: "string"}}
		}
		o.Responses[strconv.Itoa(r.Status)] = ok
		o.Responses["4XX"] = &Response{
			Description: "The request is refused. message says why.", Content: map[string]Media{"application/json": {}},
		}
		b.operations[r.ID] = e.Method + " " + e.Path
		b.place(e, o)
	}
}
