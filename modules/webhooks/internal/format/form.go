package format

import (
	"encoding/json"
	"net/url"
	"strings"
)

// maxFormDepth is the maximum number of brackets in the name of a form field.
const maxFormDepth = 5

// value returns the payload of a request as decoded JSON. The fields of a form become the members of an object; names
// with brackets, such as data[email], become nested objects.
func (r Request) value() (any, error) {
	if r.Payload == "" && r.Type == "application/x-www-form-urlencoded" && !json.Valid(r.json()) {
		if fields, _ := url.ParseQuery(string(r.Body)); len(fields) > 0 { // those that can be read
			return nested(fields), nil
		}
	}
	var v any
	err := r.decode(&v)
	return v, err
}

func nested(fields url.Values) map[string]any {
	out := map[string]any{}
	for name, values := range fields {
		path := strings.FieldsFunc(name, func(r rune) bool { return r == '[' || r == ']' })
		if len(path) == 0 || len(path) > maxFormDepth || !strings.HasSuffix(name, "]") {
			path = []string{name}
		}
		in := out
		for _, key := range path[:len(path)-1] {
			child, ok := in[key].(map[string]any)
			if !ok {
				child = map[string]any{}
				in[key] = child
			}
			in = child
		}
		if last := path[len(path)-1]; len(values) == 1 {
			in[last] = values[0]
		} else {
			var list []any
			for _, v := range values {
				list = append(list, v)
			}
			in[last] = list
		}
	}
	return out
}
