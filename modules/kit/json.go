package kit

import (
	"encoding/json"
	"maps"
	"slices"
)

// Encoded is a value that encodes itself as JSON. The JSON is sent without validation. It is for responses with
// thousands of entries. A handler's response must encode as an object, or as null if it has no fields. Values in an
// Object may encode as any JSON value.
type Encoded interface {
	// AppendJSON appends the JSON to b.
	AppendJSON(b []byte) ([]byte, error)
	// Size returns the approximate size of the JSON in bytes.
	Size() int
}

// Object is a response with values of any type, including Encoded.
type Object map[string]any

// Size implements Encoded.
func (o Object) Size() int {
	size := 64 * len(o)
	for _, x := range o {
		if e, ok := x.(Encoded); ok {
			size += e.Size()
		}
	}
	return size
}

// AppendJSON implements Encoded. Keys are sorted.
func (o Object) AppendJSON(b []byte) ([]byte, error) {
	b, _, err := o.AppendParts(b)
	return b, err
}

// AppendParts is AppendJSON, and returns where in the result the Compressible values are, in order.
func (o Object) AppendParts(b []byte) ([]byte, []Span, error) {
	var parts []Span
	sep := byte('{')
	for _, key := range slices.Sorted(maps.Keys(o)) {
		var err error
		if b, err = AppendJSON(append(b, sep), key); err != nil {
			return nil, nil, err
		}
		from := len(b) + 1
		if b, err = AppendJSON(append(b, ':'), o[key]); err != nil {
			return nil, nil, err
		}
		if _, is := o[key].(*compressible); is {
			parts = append(parts, Span{from, len(b)})
		}
		sep = ','
	}
	if sep == '{' {
		b = append(b, sep)
	}
	return append(b, '}'), parts, nil
}

// AppendJSON appends the JSON encoding of x to b. Unlike json.Marshal, it does not escape <, > and &.
func AppendJSON(b []byte, x any) ([]byte, error) {
	switch e := x.(type) {
	case Encoded:
		return e.AppendJSON(b)
	case string:
		if plain(e) {
			return append(append(append(b, '"'), e...), '"'), nil
		}
	}
	t := appendWriter(b)
	enc := json.NewEncoder(&t)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return nil, err
	}
	return t[:len(t)-1], nil // the encoder appends a newline
}

// plain reports whether s needs no escaping.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// text is an io.Writer that appends to a slice.
type appendWriter []byte

func (t *appendWriter) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	return len(b), nil
}
