package openapi

import (
	"bytes"
	"encoding/json"
)

// Schema is a schema of JSON Schema 2020-12, as far as the document uses it.
type Schema struct {
	Ref           string     `json:"$ref,omitempty"`
	Type          any        `json:"type,omitempty"` // a string, or several
	Format        string     `json:"format,omitempty"`
	Const         any        `json:"const,omitempty"`
	Enum          []any      `json:"enum,omitempty"`
	Names         []string   `json:"x-enum-varnames,omitempty"`
	Meanings      []string   `json:"x-enum-descriptions,omitempty"`
	OneOf         []*Schema  `json:"oneOf,omitempty"`
	AnyOf         []*Schema  `json:"anyOf,omitempty"`
	Items         *Schema    `json:"items,omitempty"`
	MinItems      int        `json:"minItems,omitempty"`
	MaxItems      int        `json:"maxItems,omitempty"`
	UniqueItems   bool       `json:"uniqueItems,omitempty"`
	Properties    Properties `json:"properties,omitempty"`
	Required      []string   `json:"required,omitempty"`
	Additional    any        `json:"additionalProperties,omitempty"` // false, or a *Schema
	PropertyNames *Schema    `json:"propertyNames,omitempty"`
	Pattern       string     `json:"pattern,omitempty"`
	MinLength     int        `json:"minLength,omitempty"`
	MaxLength     int        `json:"maxLength,omitempty"`
	Minimum       *int64     `json:"minimum,omitempty"`
	Maximum       *int64     `json:"maximum,omitempty"`
	Default       any        `json:"default,omitempty"`
	Deprecated    bool       `json:"deprecated,omitempty"`
	Description   string     `json:"description,omitempty"`
	Module        string     `json:"x-module,omitempty"`
	EventType     string     `json:"x-event-type,omitempty"` // of fetch_event_types
	Alias         string     `json:"x-alias,omitempty"`
	Discriminated []string   `json:"x-discriminators,omitempty"` // by which of their keys forms differ
	Since         int        `json:"x-since,omitempty"`
	Changed       []Change   `json:"x-changed,omitempty"`
	JSONSchema    *Schema    `json:"x-json-schema,omitempty"`

	tagged bool // by forms or enum
}

// Properties are the properties of an object, in the order of the Go type.
type Properties []Property

// Property is a property of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// Get returns the schema of a property; nil if there is none.
func (p Properties) Get(name string) *Schema {
	for _, x := range p {
		if x.Name == name {
			return x.Schema
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p Properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(x.Schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(schema)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// orNull returns a schema that also admits null.
func (s *Schema) orNull() *Schema {
	if kind, ok := s.Type.(string); ok && s.Ref == "" {
		c := *s
		c.Type = []string{kind, "null"}
		return &c
	}
	if s.Ref == "" && s.OneOf == nil && s.AnyOf == nil {
		return s // admits anything
	}
	return &Schema{AnyOf: []*Schema{s, {Type: "null"}}}
}

// described returns a copy with a description. A reference may have one beside it.
func (s *Schema) described(text string) *Schema {
	c := *s
	c.Description = text
	return &c
}
