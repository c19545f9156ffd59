package kittest

import (
	"encoding/json"
	"strconv"
	"strings"
)

func unmarshal(text string, v any) error { return json.Unmarshal([]byte(text), v) }

func (a *Response) status(want int) {
	a.T.Helper()
	if a.Status != want {
		a.T.Fatalf("%s: status %d, want %d: %s", a.Call, a.Status, want, a.Body)
	}
}

func (a *Response) value() any {
	a.T.Helper()
	if a.decoded != nil && a.decodedFrom == a.Body {
		return a.decoded
	}
	v, err := decode(a.Body)
	if err != nil {
		a.T.Fatalf("%s: the response is not JSON: %v\n%s", a.Call, err, a.Body)
	}
	a.decoded, a.decodedFrom = v, a.Body
	return v
}

// at returns the value at a path in the decoded body. If there is none, ok is false and key is the missing part.
func (a *Response) at(path string) (v any, key string, ok bool) {
	a.T.Helper()
	v = a.value()
	for k := range strings.SplitSeq(path, ".") {
		next, ok := child(v, k)
		if !ok {
			return nil, k, false
		}
		v = next
	}
	return v, "", true
}

// deepCopy returns a copy that the test may modify, since the decoded body is reused.
func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for k, x := range v {
			all[k] = deepCopy(x)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, x := range v {
			all[i] = deepCopy(x)
		}
		return all
	}
	return v
}

func child(v any, key string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		c, ok := v[key]
		return c, ok
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(v) {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}
