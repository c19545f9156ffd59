package openapi

import (
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// Document is an OpenAPI document.
type Document struct {
	OpenAPI    string           `json:"openapi"`
	Info       Info             `json:"info"`
	Dialect    string           `json:"jsonSchemaDialect"`
	Servers    []Server         `json:"servers"`
	Tags       []Tag            `json:"tags"`
	Security   []map[string]any `json:"security"`
	Paths      map[string]*Path `json:"paths"`
	Components Components       `json:"components"`

	problems  []string
	shared    map[string]*Response // by operations
	leaves    map[string]*Schema   // of events, by type/op
	exchanges map[string]*exchange // by method and path
}

// Info describes the server.
type Info struct {
	Title        string  `json:"title"`
	Summary      string  `json:"summary"`
	Description  string  `json:"description"`
	License      License `json:"license"`
	Version      string  `json:"version"`
	FeatureLevel int     `json:"x-feature-level"`
}

// License names the license of the server.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

// Server is an address of the API.
type Server struct {
	URL       string              `json:"url"`
	Variables map[string]Variable `json:"variables,omitempty"`
}

// Variable is a part of the address of a Server.
type Variable struct {
	Default     string `json:"default"`
	Description string `json:"description"`
}

// Tag is a module.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Module      string `json:"x-module"`
}

// Path holds the operations of a path.
type Path struct {
	Servers []Server   `json:"servers,omitempty"`
	Get     *Operation `json:"get,omitempty"`
	Head    *Operation `json:"head,omitempty"`
	Put     *Operation `json:"put,omitempty"`
	Post    *Operation `json:"post,omitempty"`
	Delete  *Operation `json:"delete,omitempty"`
	Patch   *Operation `json:"patch,omitempty"`
}

// Operation is a route.
type Operation struct {
	Tags        []string             `json:"tags"`
	Summary     string               `json:"summary"`
	Description string               `json:"description"`
	ID          string               `json:"operationId"`
	Parameters  []Parameter          `json:"parameters,omitempty"`
	Body        *Body                `json:"requestBody,omitempty"`
	Responses   map[string]*Response `json:"responses"`
	Security    []map[string]any     `json:"security,omitempty"`
	Module      string               `json:"x-module"`
	Access      AccessRule           `json:"x-access"`
	Rate        *RateLimit           `json:"x-rate-limit,omitempty"`
	Codes       []errs.Code          `json:"-"`
	Errors      []ErrorCase          `json:"x-errors,omitempty"`
	Events      []string             `json:"x-events,omitempty"` // schemas
	Since       int                  `json:"x-since,omitempty"`
	Changed     []Change             `json:"x-changed,omitempty"`
	MaxBody     int64                `json:"x-max-body,omitempty"`
	Idempotent  any                  `json:"x-idempotent,omitempty"`     // true, or the header that makes it so
	Number      int                  `json:"x-seed-operation,omitempty"` // in the first specification

	causes []string // the events that a success may cause, as in causes.txt
}

// AccessRule says who may call an operation.
type AccessRule struct {
	Rule    string `json:"rule"`
	Setting string `json:"setting,omitempty"`
	Text    string `json:"text"`
}

// RateLimit is the rate class of an operation, with the numbers in force; 0: no limit.
type RateLimit struct {
	Class    string `json:"class"`
	PerUser  int    `json:"per_user,omitempty"`
	PerRealm int    `json:"per_realm,omitempty"`
	Window   int    `json:"window_seconds,omitempty"`
}

// Parameter is a parameter outside of the body.
type Parameter struct {
	Name        string           `json:"name"`
	In          string           `json:"in"`
	Description string           `json:"description"`
	Required    bool             `json:"required,omitempty"`
	Schema      *Schema          `json:"schema,omitempty"`
	Content     map[string]Media `json:"content,omitempty"`
	Example     json.RawMessage  `json:"example,omitempty"`
	Rest        bool             `json:"x-rest,omitempty"` // also matches slashes
	Alias       string           `json:"x-alias,omitempty"`
	Since       int              `json:"x-since,omitempty"`
	Changed     []Change         `json:"x-changed,omitempty"`
}

// Body is a request body.
type Body struct {
	Required bool             `json:"required,omitempty"`
	Content  map[string]Media `json:"content"`
}

// Media is a representation of a body.
type Media struct {
	Schema   *Schema             `json:"schema,omitempty"`
	Example  json.RawMessage     `json:"example,omitempty"`
	Examples map[string]Example  `json:"examples,omitempty"` // instead of Example, if there are several
	Encoding map[string]Encoding `json:"encoding,omitempty"`
}

// Example is one of several examples.
type Example struct {
	Ref   string          `json:"$ref,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Encoding says how a field of a form is encoded.
type Encoding struct {
	ContentType string `json:"contentType"`
}

// Response is a response.
type Response struct {
	Ref         string            `json:"$ref,omitempty"`
	Description string            `json:"description,omitempty"`
	Headers     map[string]Header `json:"headers,omitempty"`
	Content     map[string]Media  `json:"content,omitempty"`
	Links       map[string]Link   `json:"links,omitempty"`
}

// Header is a header of a response.
type Header struct {
	Description string  `json:"description"`
	Schema      *Schema `json:"schema"`
}

// Components are the parts that others refer to.
type Components struct {
	Schemas   map[string]*Schema   `json:"schemas"`
	Responses map[string]*Response `json:"responses"`
	Examples  map[string]Example   `json:"examples,omitempty"`
	Security  map[string]any       `json:"securitySchemes"`
}

// JSON returns the document as JSON.
func (d *Document) JSON() ([]byte, error) { return json.Marshal(d) }

// operation returns the operation with an ID; nil: there is none.
func (d *Document) operation(id string) *Operation {
	for _, p := range d.Paths {
		for _, o := range p.Operations() {
			if o.ID == id {
				return o
			}
		}
	}
	return nil
}

// Has reports whether an operation has a parameter.
func (d *Document) Has(id, parameter string) bool {
	for _, x := range d.exchanges {
		if x.operation.ID == id {
			return x.schemas[parameter] != nil
		}
	}
	return false
}

// Problems lists what the document cannot describe: fields and routes without description, and types that encode
// themselves and have no kit.Schema.
func (d *Document) Problems() []string { return d.problems }

// Schema returns the schema that a reference names, or the schema itself.
func (d *Document) Schema(s *Schema) *Schema {
	for s != nil && s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// Operations returns the operations of a path, by method.
func (p *Path) Operations() iter.Seq2[string, *Operation] {
	return func(yield func(string, *Operation) bool) {
		for _, x := range []struct {
			method string
			*Operation
		}{
			{http.MethodGet, p.Get},
			{http.MethodHead, p.Head},
			{http.MethodPost, p.Post},
			{http.MethodPut, p.Put},
			{http.MethodPatch, p.Patch},
			{http.MethodDelete, p.Delete},
		} {
			if x.Operation != nil && !yield(x.method, x.Operation) {
				return
			}
		}
	}
}
