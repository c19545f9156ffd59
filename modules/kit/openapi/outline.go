package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// outline is what clients depend on in a document, by place: the ID of an operation, one of its parameters (ID.name),
// or a property of a schema (Schema.name).
type outline map[string]fact

// fact is what a document says about a place.
type fact struct {
	call   string   // method and path, of an operation
	sent   bool     // by clients
	always bool     // required of clients, or always in what they receive
	forms  []string // types, schemas and values
	most   int64    // characters, elements, or the number itself; 0: no limit
}

// outlined is the part of a document that an outline needs.
type outlined struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]outlinedSchema `json:"schemas"`
	} `json:"components"`
}

type outlinedOperation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name     string         `json:"name"`
		Required bool           `json:"required"`
		Schema   outlinedSchema `json:"schema"`
		Content  map[string]struct {
			Schema outlinedSchema `json:"schema"`
		} `json:"content"`
	} `json:"parameters"`
}

type outlinedSchema struct {
	Ref        string                    `json:"$ref"`
	Type       any                       `json:"type"`
	Const      any                       `json:"const"`
	Enum       []any                     `json:"enum"`
	OneOf      []outlinedSchema          `json:"oneOf"`
	AnyOf      []outlinedSchema          `json:"anyOf"`
	Items      *outlinedSchema           `json:"items"`
	Properties map[string]outlinedSchema `json:"properties"`
	Required   []string                  `json:"required"`
	MaxLength  int64                     `json:"maxLength"`
	MaxItems   int64                     `json:"maxItems"`
	Maximum    int64                     `json:"maximum"`
}

// readOutline returns the outline of a document, which may be that of an older version.
func readOutline(text []byte) (outline, error) {
	var d outlined
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	if len(d.Paths) == 0 {
		return nil, fmt.Errorf("the document describes no operations")
	}
	all, ids := outline{}, map[string]string{} // names of operations, by those of their requests
	for path, methods := range d.Paths {
		for method, raw := range methods {
			var o outlinedOperation
			if json.Unmarshal(raw, &o) != nil || o.ID == "" {
				continue // servers
			}
			ids[camel(o.ID)+"Request"] = o.ID
			all[o.ID] = fact{call: strings.ToUpper(method) + " " + path, sent: method != strings.ToLower(http.MethodGet)}
			for _, p := range o.Parameters {
				for _, m := range p.Content {
					p.Schema = m.Schema
				}
				all[o.ID+"."+p.Name] = fact{sent: true, always: p.Required, forms: p.Schema.forms(), most: p.Schema.most()}
			}
		}
	}
	for name, s := range d.Components.Schemas {
		place, sent := name, strings.HasSuffix(name, "Input")
		if id, ok := ids[name]; ok {
			place, sent = id, true
		}
		if forms := s.forms(); !sent && len(s.Properties) == 0 || strings.HasSuffix(name, "Input") {
			all[name] = fact{sent: sent, always: true, forms: forms}
		}
		for property, p := range s.Properties {
			all[place+"."+property] = fact{
				sent: sent, always: slices.Contains(s.Required, property), forms: p.forms(), most: p.most(),
			}
		}
	}
	return all, nil
}

// forms returns the types, schemas and values of a schema.
func (s outlinedSchema) forms() []string {
	var all []string
	for _, form := range slices.Concat(s.OneOf, s.AnyOf) {
		all = append(all, form.forms()...)
	}
	switch types, _ := s.Type.([]any); {
	case s.Ref != "":
		all = append(all, s.Ref[strings.LastIndex(s.Ref, "/")+1:])
	case s.Const != nil:
		all = append(all, value(s.Const))
	case len(s.Enum) > 0:
		for _, v := range s.Enum {
			all = append(all, value(v))
		}
	case s.Type == "array" && s.Items != nil:
		for _, form := range s.Items.forms() {
			all = append(all, "array of "+form)
		}
	case types != nil:
		for _, t := range types {
			all = append(all, fmt.Sprint(t))
		}
	case s.Type != nil:
		all = append(all, fmt.Sprint(s.Type))
	case len(all) == 0:
		all = append(all, "anything")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func value(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) }

func (s outlinedSchema) most() int64 { return max(s.MaxLength, s.MaxItems, s.Maximum) }
