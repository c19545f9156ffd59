package kit

import (
	"encoding/json"
	"maps"
	"slices"
)

// Encoded writes itself as JSON, which is sent as it is and not looked at again: that is for answers of thousands of
// entries to thousands of clients. As an answer it is an object, or null where it has no fields; in an Object it is any
// value.
type Encoded interface {
	// AppendJSON adds the text to b.
	AppendJSON(b []byte) ([]byte, error)
	// Size is about how many bytes that is.
	Size() int
}

// Object is an answer by its keys. Values that are Encoded write themselves.
type Object map[string]any

// Size implements Encoded.
func (o Object) Size() int {
	size := 64 * len(o)
	for _, x := range o {
		if own, ok := x.(Encoded); ok {
			size += own.Size()
		}
	}
	return size
}

// AppendJSON implements Encoded. Keys are sorted.
func (o Object) AppendJSON(b []byte) ([]byte, error) {
	sep := byte('{')
	for _, key := range slices.Sorted(maps.Keys(o)) {
		var err error
		if b, err = AppendJSON(append(b, sep), key); err == nil {
			b, err = AppendJSON(append(b, ':'), o[key])
		}
		if err != nil {
			return nil, err
		}
		sep = ','
	}
	if sep == '{' {
		b = append(b, sep)
	}
	return append(b, '}'), nil
}

// AppendJSON adds any value to b as answers have it: encoding/json's text, in which <, > and & stand for themselves.
func AppendJSON(b []byte, x any) ([]byte, error) {
	switch own := x.(type) {
	case Encoded:
		return own.AppendJSON(b)
	case string:
		if plain(own) {
			return append(append(append(b, '"'), own...), '"'), nil
		}
	}
	t := text(b)
	enc := json.NewEncoder(&t)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return nil, err
	}
	return t[:len(t)-1], nil // the encoder ends lines
}

// plain tells whether nothing in s has to be escaped.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// text is what an encoder appends to.
type text []byte

func (t *text) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	return len(b), nil
}
