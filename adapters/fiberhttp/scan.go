package fiberhttp

import (
	"encoding/json"
	"fmt"

	"github.com/stoachat/stoa/domain/errs"
)

// decoder scans JSON that check has validated, so its other methods need no syntax checks.
type decoder struct {
	b []byte
	i int
}

// check validates the JSON of a parameter, or of the request body if name is "", before it is decoded. Errors:
// BadRequest.
func (d *decoder) check(name string, lim *limits) error {
	depth, quoted := 0, false
	for i := 0; i < len(d.b); i++ {
		c := d.b[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > lim.depth {
				return errs.Bad("%s is nested too deeply.", subject(name))
			}
			lim.elements--
		case c == ']' || c == '}':
			depth--
		case c == ',':
			lim.elements--
		}
	}
	if lim.elements < 0 {
		return errs.Bad("%s has too many elements.", subject(name))
	}
	if !json.Valid(d.b) {
		return errs.Bad("%s is not valid JSON.", subject(name))
	}
	return nil
}

func subject(name string) string {
	if name == "" {
		return "The request body"
	}
	return fmt.Sprintf("Argument %q", name)
}

// peek returns the first byte of the next value, which determines its type, or 0 at the end.
func (d *decoder) peek() byte {
	for d.i < len(d.b) {
		switch c := d.b[d.i]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			d.i++
		default:
			return c
		}
	}
	return 0
}

// span returns the next value verbatim and advances past it.
func (d *decoder) span() []byte {
	first := d.peek()
	from, depth := d.i, 0
	switch first {
	case '"':
		d.quoted()
	case '[', '{':
		for d.i < len(d.b) {
			switch d.b[d.i] {
			case '"':
				d.quoted()
				continue
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
			if d.i++; depth == 0 {
				break
			}
		}
	default:
		for d.i < len(d.b) && !delimits(d.b[d.i]) {
			d.i++
		}
	}
	return d.b[from:d.i]
}

func delimits(c byte) bool {
	switch c {
	case ',', ']', '}', ':', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// quoted advances past a string.
func (d *decoder) quoted() {
	for d.i++; d.i < len(d.b); d.i++ {
		switch d.b[d.i] {
		case '\\':
			d.i++
		case '"':
			d.i++
			return
		}
	}
}

// string decodes the next value, which must be a string.
func (d *decoder) string() string {
	span := d.span()
	for _, c := range span {
		if c == '\\' {
			var s string
			_ = json.Unmarshal(span, &s) // check has validated it
			return s
		}
	}
	return string(span[1 : len(span)-1])
}

// array calls each for every element of the next value, which must be an array.
func (d *decoder) array(w *location, each func(i int) error) error {
	if d.peek() != '[' {
		return typeError(w, "a list")
	}
	d.i++
	for i := 0; d.peek() != ']'; i++ {
		if err := each(i); err != nil {
			return err
		}
	}
	d.i++
	return nil
}

// object calls each for every member of the next value, which must be an object; each must read the member's value.
func (d *decoder) object(w *location, each func(key string) error) error {
	if d.peek() != '{' {
		return typeError(w, "a dict")
	}
	d.i++
	for d.peek() != '}' {
		key := d.string()
		if err := each(key); err != nil {
			return err
		}
	}
	d.i++
	return nil
}
