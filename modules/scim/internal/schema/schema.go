// Package schema describes the resources that the server provisions (RFC 7643). The same description is what clients
// read at /Schemas, and what their requests are checked against.
package schema

import "strings"

// The types of attributes.
const (
	String    = "string"
	Boolean   = "boolean"
	Complex   = "complex"
	Reference = "reference"
)

// The values of mutability and returned.
const (
	ReadWrite = "readWrite"
	ReadOnly  = "readOnly"
	Immutable = "immutable"
	Always    = "always"
	Default   = "default"
)

// Attribute describes an attribute, as in RFC 7643, section 7.
type Attribute struct {
	Name            string      `json:"name"`
	Type            string      `json:"type"`
	MultiValued     bool        `json:"multiValued"`
	Description     string      `json:"description"`
	Required        bool        `json:"required"`
	CanonicalValues []string    `json:"canonicalValues,omitempty"`
	CaseExact       bool        `json:"caseExact"`
	Mutability      string      `json:"mutability"`
	Returned        string      `json:"returned"`
	Uniqueness      string      `json:"uniqueness"`
	ReferenceTypes  []string    `json:"referenceTypes,omitempty"`
	SubAttributes   []Attribute `json:"subAttributes,omitempty"`
}

// Sub returns a sub-attribute, or nil.
func (a *Attribute) Sub(name string) *Attribute { return find(a.SubAttributes, name) }

// Schema is a named list of attributes.
type Schema struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Attributes  []Attribute `json:"attributes"`
}

// Attribute returns an attribute, or nil.
func (s *Schema) Attribute(name string) *Attribute { return find(s.Attributes, name) }

func find(all []Attribute, name string) *Attribute {
	for i := range all {
		if strings.EqualFold(all[i].Name, name) {
			return &all[i]
		}
	}
	return nil
}

// Resource is a type of resources.
type Resource struct {
	Name        string // such as User
	Endpoint    string // such as /Users
	Description string
	Core        *Schema
	Extensions  []*Schema
	Unsupported []string // attributes of RFC 7643 that clients send and the server drops
}

// Schemas returns all schemas of the resource.
func (r *Resource) Schemas() []*Schema { return append([]*Schema{r.Core}, r.Extensions...) }

// Schema returns the schema with a URN, or nil. The empty URN is that of the core schema.
func (r *Resource) Schema(urn string) *Schema {
	if urn == "" {
		return r.Core
	}
	for _, s := range r.Schemas() {
		if strings.EqualFold(s.ID, urn) {
			return s
		}
	}
	return nil
}

// Common attributes, which no schema lists.
var common = []Attribute{
	{Name: "schemas", Type: Reference, MultiValued: true, Mutability: ReadOnly, CaseExact: true},
	{Name: "id", Type: String, Mutability: ReadOnly, CaseExact: true},
	{Name: "meta", Type: Complex, Mutability: ReadOnly, SubAttributes: []Attribute{
		{Name: "resourceType", Type: String, CaseExact: true}, {Name: "created", Type: String},
		{Name: "location", Type: Reference, CaseExact: true}, {Name: "version", Type: String, CaseExact: true},
	}},
}

// Find returns an attribute by the URN of its schema, which may be empty, and its name, or nil.
func (r *Resource) Find(urn, name string) *Attribute {
	s := r.Schema(urn)
	if s == nil {
		return nil
	}
	if a := s.Attribute(name); a != nil || s != r.Core {
		return a
	}
	return find(common, name)
}

// Dropped reports whether the server knowingly ignores an attribute.
func (r *Resource) Dropped(urn, name string) bool {
	if urn != "" && r.Schema(urn) == nil {
		return true // an extension of another server
	}
	for _, n := range r.Unsupported {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// CutURN splits a name with the URN of a schema before it, such as urn:…:User:department.
func (r *Resource) CutURN(name string) (urn, rest string) {
	if len(name) < 4 || !strings.EqualFold(name[:4], "urn:") {
		return "", name
	}
	for _, s := range r.Schemas() {
		if n := len(s.ID); len(name) >= n && strings.EqualFold(name[:n], s.ID) {
			if len(name) == n {
				return s.ID, ""
			}
			if name[n] == ':' {
				return s.ID, name[n+1:]
			}
		}
	}
	// Of an unknown schema, the name of the attribute follows the last colon.
	end := len(name)
	if i := strings.IndexByte(name, '['); i >= 0 {
		end = i
	}
	if i := strings.LastIndexByte(name[:end], ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}
