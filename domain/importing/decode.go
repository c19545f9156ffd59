package importing

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Limits on the JSON of archives.
const (
	MaxDepth = 64
	MaxValue = 16 << 20 // bytes of a line or of an element
)

// Decode decodes a JSON value of an archive, with numbers as json.Number. It refuses values that are too large or too
// deeply nested.
func Decode(text []byte, to any) error {
	if len(text) > MaxValue {
		return fmt.Errorf("a value of %d bytes", len(text))
	}
	if err := checkDepth(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}

func checkDepth(text []byte) error {
	depth, quoted, escaped := 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return errors.New("values are nested too deeply")
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// Lines calls fn for each line of a file with a JSON value per line, and its number. Longer lines than MaxValue are
// passed on as nil.
func Lines(from io.Reader, fn func(n int, line []byte) error) error {
	r := bufio.NewReaderSize(from, 1<<16)
	var line []byte
	long := false
	for n := 1; ; {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > MaxValue; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		text := bytes.TrimSpace(line)
		if long {
			text = nil
		}
		if long || len(text) > 0 {
			if err := fn(n, text); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		line, long = line[:0], false
		n++
	}
}

// Elements calls fn for each element of a JSON array, without reading the array as a whole. An error of the array's
// syntax ends it: the elements before it have been passed on.
func Elements(from io.Reader, fn func(n int, element json.RawMessage) error) error {
	d := json.NewDecoder(from)
	d.UseNumber()
	t, err := d.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return errors.New("not a list")
	}
	for n := 0; d.More(); n++ {
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			return err
		}
		if err := fn(n, one); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// List is a JSON array whose malformed elements are left out.
type List[T any] struct {
	All []T
	Bad int // number of malformed elements, 1 if it is not an array
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *List[T]) UnmarshalJSON(text []byte) error {
	*l = List[T]{}
	var all []json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		l.Bad = 1
		return nil
	}
	for _, one := range all {
		var v T
		if string(one) == "null" || json.Unmarshal(one, &v) != nil {
			l.Bad++
			continue
		}
		l.All = append(l.All, v)
	}
	return nil
}
