package kittest

import (
	"encoding/json"
	"strconv"
)

func unmarshal(text string, v any) error { return json.Unmarshal([]byte(text), v) }

func (a *Answer) status(want int) {
	a.T.Helper()
	if a.Status != want {
		a.T.Fatalf("%s: status %d, want %d: %s", a.Call, a.Status, want, a.Body)
	}
}

func (a *Answer) value() any {
	a.T.Helper()
	v, err := decode(a.Body)
	if err != nil {
		a.T.Fatalf("%s: the answer is not JSON: %v\n%s", a.Call, err, a.Body)
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
