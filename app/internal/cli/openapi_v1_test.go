package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit/openapi"
)

// operationsV1 compares a document with testdata/operations-v1.txt.
type operationsV1 struct {
	*testing.T

	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]schemaV1 `json:"schemas"`
	} `json:"components"`
}

type schemaV1 struct {
	Ref        string              `json:"$ref"`
	Type       any                 `json:"type"`
	Enum       []any               `json:"enum"`
	OneOf      []schemaV1          `json:"oneOf"`
	AnyOf      []schemaV1          `json:"anyOf"`
	Properties map[string]schemaV1 `json:"properties"`
	Required   []string            `json:"required"`
	Default    any                 `json:"default"`
}

type operationV1 struct {
	Parameters []struct {
		Name     string             `json:"name"`
		Required bool               `json:"required"`
		Schema   schemaV1           `json:"schema"`
		Content  map[string]mediaV1 `json:"content"`
	} `json:"parameters"`
	Body      contentV1            `json:"requestBody"`
	Responses map[string]contentV1 `json:"responses"`
	Errors    []openapi.ErrorCase  `json:"x-errors"`
	Number    int                  `json:"x-seed-operation"`
}

type contentV1 struct {
	Content map[string]mediaV1 `json:"content"`
}

type mediaV1 struct {
	Schema schemaV1 `json:"schema"`
}

// TestOperationsOfVersion1 checks that the description has what the first specification of the interface lists.
func TestOperationsOfVersion1(t *testing.T) {
	text, err := os.ReadFile("testdata/operations-v1.txt")
	if err != nil {
		t.Fatal(err)
	}
	d := operationsV1{T: t}
	if err := json.Unmarshal([]byte(stoa(t, "", "openapi").ok(t).out), &d); err != nil {
		t.Fatal(err)
	}
	var parameters, results schemaV1
	var codes []string
	operations := 0
	at := ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "schema":
			at, results = words[1], d.schema(words[1])
		case strings.HasPrefix(words[len(words)-1], "/"):
			at = strings.Join(words, " ")
			operations++
			parameters, results, codes = d.operation(words[0], words[1], operations)
		case words[0] == ">":
			d.compare(at, results, words[1:], false)
		case words[0] == "!":
			if !slices.Contains(codes, words[1]) {
				t.Errorf("%s: x-errors has no %s: %v", at, words[1], codes)
			}
			for _, key := range words[2:] {
				d.compare("Error", d.Components.Schemas["Error"], []string{key, "any"}, false)
			}
		default:
			d.compare(at, parameters, words, true)
		}
	}
	if operations != 21 {
		t.Errorf("compared %d operations, want 21", operations)
	}
}

// operation returns parameters, keys of the response, and codes of errors, of the operation with a number.
func (d operationsV1) operation(method, path string, number int) (parameters, results schemaV1, codes []string) {
	d.Helper()
	var o operationV1
	if err := json.Unmarshal(d.Paths[path][strings.ToLower(method)], &o); err != nil {
		d.Fatalf("%s %s: %v", method, path, err)
	}
	if o.Number != number {
		d.Errorf("%s %s: x-seed-operation is %d, want %d", method, path, o.Number, number)
	}
	parameters.Properties = map[string]schemaV1{}
	for _, m := range o.Body.Content {
		body := d.resolve(m.Schema)
		parameters.Required = append(parameters.Required, body.Required...)
		for name, s := range body.Properties {
			parameters.Properties[name] = s
		}
	}
	for _, p := range o.Parameters {
		for _, m := range p.Content {
			p.Schema = m.Schema
		}
		parameters.Properties[p.Name] = p.Schema
		if p.Required {
			parameters.Required = append(parameters.Required, p.Name)
		}
	}
	for _, e := range o.Errors {
		codes = append(codes, string(e.Code))
	}
	return parameters, d.resolve(o.Responses["200"].Content["application/json"].Schema), codes
}

func (d operationsV1) schema(name string) schemaV1 {
	s, ok := d.Components.Schemas[name]
	if !ok {
		s, ok = d.Components.Schemas[name+"Input"]
	}
	if !ok {
		d.Errorf("there is no schema %s", name)
	}
	return s
}

func (d operationsV1) resolve(s schemaV1) schemaV1 {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.Components.Schemas[name]
	}
	return s
}

// compare compares a property with a line: name, types, and what else it has.
func (d operationsV1) compare(at string, in schemaV1, line []string, parameters bool) {
	d.Helper()
	name, types := line[0], strings.Split(line[1], "|")
	s, ok := in.Properties[name]
	if !ok {
		d.Errorf("%s has no %s", at, name)
		return
	}
	got := d.types(s)
	for _, typ := range types {
		if typ != "any" && !slices.Contains(got, typ) {
			d.Errorf("%s: %s is %v, want %v", at, name, got, types)
		}
	}
	rest := line[2:]
	if i := slices.Index(rest, "one"); i >= 0 {
		var values []string
		for _, v := range d.resolve(s).Enum {
			values = append(values, fmt.Sprint(v))
		}
		for _, want := range rest[i+2:] {
			if !slices.Contains(values, want) {
				d.Errorf("%s: %s is one of %v, want %s", at, name, values, want)
			}
		}
		rest = rest[:i]
	}
	if want := slices.Contains(rest, "required"); parameters && want != slices.Contains(in.Required, name) &&
		!slices.Contains(rest, "lenient") {
		d.Errorf("%s: %s is required: %v, want %v", at, name, !want, want)
	}
	for _, word := range rest {
		if want, ok := strings.CutPrefix(word, "="); ok && fmt.Sprint(s.Default) != want {
			d.Errorf("%s: the default of %s is %v, want %s", at, name, s.Default, want)
		}
	}
}

// types returns the types of all forms of a schema.
func (d operationsV1) types(s schemaV1) []string {
	s = d.resolve(s)
	var all []string
	switch t := s.Type.(type) {
	case string:
		all = append(all, t)
	case []any:
		for _, one := range t {
			all = append(all, fmt.Sprint(one))
		}
	}
	for _, form := range slices.Concat(s.OneOf, s.AnyOf) {
		all = append(all, d.types(form)...)
	}
	return all
}
