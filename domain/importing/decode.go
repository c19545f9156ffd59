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
		last := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !last:
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
		if last {
			return nil
		}
		line, long = line[:0], false
		n++
	}
}

// Elements calls fn for each element of a JSON array, without reading the array as a whole. Elements that are larger
// than MaxValue are passed on as nil. An error of the array's syntax ends it: the elements before it have been passed
// on; an error within an element is left to fn.
func Elements(from io.Reader, fn func(n int, element json.RawMessage) error) error {
	e := elements{r: bufio.NewReaderSize(from, 1<<16)}
	if c, err := e.visible(); err != nil {
		return err
	} else if c != '[' {
		return errors.New("not a list")
	}
	for n := 0; ; n++ {
		c, err := e.visible()
		switch {
		case err != nil:
			return err
		case c == ']' && n == 0:
			return nil
		}
		end, err := e.next(c)
		if err != nil {
			return err
		}
		text := bytes.TrimSpace(e.text)
		if e.long {
			text = nil
		}
		if err := fn(n, text); err != nil {
			return err
		}
		if end == ']' {
			return nil
		}
	}
}

// elements reads the elements of an array.
type elements struct {
	r    *bufio.Reader
	text []byte
	long bool // text is only the beginning of the element
}

// visible returns the next byte that is not white space. Errors: io.ErrUnexpectedEOF.
func (e *elements) visible() (byte, error) {
	for {
		c, err := e.r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil || c != ' ' && c != '\n' && c != '\r' && c != '\t':
			return c, err
		}
	}
}

// next reads the element that begins with c, and returns the comma or bracket that follows it.
func (e *elements) next(c byte) (end byte, err error) {
	e.text, e.long = e.text[:0], false
	depth, quoted, escaped := 0, false, false
	for {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case depth == 0 && (c == ',' || c == ']'):
			if len(bytes.TrimSpace(e.text)) == 0 {
				return 0, errors.New("an element is missing")
			}
			return c, nil
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return 0, errors.New("the brackets do not match")
			}
		}
		if e.long = e.long || len(e.text) == MaxValue; !e.long {
			e.text = append(e.text, c)
		}
		if c, err = e.r.ReadByte(); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
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
		return nil //nolint:nilerr // it is counted
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
