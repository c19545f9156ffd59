package openapi_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// checked are the keywords of a schema that the checker compares values with.
var checked = []string{
	"$ref", "type", "format", "const", "enum", "oneOf", "anyOf", "items", "minItems", "maxItems", "uniqueItems",
	"properties", "required", "additionalProperties", "propertyNames", "pattern", "minLength", "maxLength", "minimum",
	"maximum",
}

// TestKeywords checks that no schema states what the checker ignores.
func TestKeywords(t *testing.T) {
	for f := range reflect.TypeFor[openapi.Schema]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		says := name == "" || name == "default" || name == "deprecated" || name == "description" ||
			strings.HasPrefix(name, "x-")
		if !says && !slices.Contains(checked, name) {
			t.Errorf("%s is not checked", name)
		}
	}
}

func TestLimits(t *testing.T) {
	d := document(kit.Parts{Endpoints: []kit.Endpoint{endpoint(kit.GET[request, listed], "/cakes")}, Words: parts().Words,
		Schemas: parts().Schemas})
	seven, nine := int64(7), int64(9)
	for _, x := range []struct {
		schema openapi.Schema
		values map[string]string // by what is wrong; "": nothing
	}{
		{openapi.Schema{Type: "integer", Minimum: &seven, Maximum: &nine}, map[string]string{
			"7": "", "9": "", "6": "is 6, less than 7", "10": "is 10, more than 9",
		}},
		{openapi.Schema{Type: "integer", Format: "int32"}, map[string]string{
			"-2147483648": "", "-2147483649": "less than", "2147483648": "more than",
		}},
		{openapi.Schema{Type: "integer", Format: "int64"}, map[string]string{
			"9223372036854775807": "", "9223372036854775808": "more than", "-9223372036854775809": "less than",
		}},
		{openapi.Schema{Type: "number", Maximum: &nine}, map[string]string{"8.5": "", "9.5": "more than 9"}},
		{openapi.Schema{Type: "string", MinLength: 2, MaxLength: 3, Pattern: "^[a-zö]*$"}, map[string]string{
			`"aö"`: "", `"a"`: "has 1 characters", `"abcd"`: "has 4 characters", `"A1"`: "does not match",
		}},
		{openapi.Schema{Type: "string", Format: "date-time"}, map[string]string{
			`"2026-01-31T12:00:00Z"`: "", `"yesterday"`: "no date-time",
		}},
		{openapi.Schema{Type: "array", MinItems: 1, MaxItems: 2, UniqueItems: true}, map[string]string{
			"[1,2]": "", "[]": "has 0 elements", "[1,2,3]": "has 3 elements", "[1,1]": "the element 1 twice",
		}},
		{openapi.Schema{Type: "object", PropertyNames: &openapi.Schema{Pattern: "^[0-9]+$"}}, map[string]string{
			`{"1":2}`: "", `{"x":2}`: "does not match",
		}},
	} {
		for value, want := range x.values {
			schema := openapi.Schema{Type: "object", Properties: openapi.Properties{
				{Name: "result", Schema: &openapi.Schema{}}, {Name: "msg", Schema: &openapi.Schema{}},
				{Name: "v", Schema: &x.schema},
			}}
			d.Components.Schemas["GetCakesResult"] = &schema
			got := openapi.NewChecker(d).Exchange("GET", "/cakes", nil, 200, []byte(`{"result":"success","v":`+value+`}`))
			if (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", value, got, want)
			}
		}
	}
}
