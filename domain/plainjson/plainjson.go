// Package plainjson encodes JSON without escaping HTML.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Marshal is like json.Marshal, except that it does not escape <, > and &, which would make rendered messages longer.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
