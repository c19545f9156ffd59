package fiberhttp

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// json adds the members of a JSON object as parameters: strings as their text, other values as JSON. Errors: TooLarge;
// BadRequest if the body is not an object or exceeds the limits.
func (p *params) json(b *body) error {
	all, err := io.ReadAll(b)
	if err != nil {
		return bodyError(err)
	}
	if len(bytes.TrimSpace(all)) == 0 {
		return nil
	}
	if !utf8.Valid(all) {
		return errs.Bad("The request body is not valid UTF-8.")
	}
	lim := limits{depth: p.limits.depth + 1, elements: p.limits.elements + p.max}
	d := &decoder{b: all}
	if err := d.check("", &lim); err != nil {
		return err
	}
	if d.peek() != '{' {
		return errs.Bad("The request body must be a JSON object whose members are the parameters.")
	}
	return d.object(nil, func(name string) error {
		var text string
		first := d.peek()
		if first == '"' {
			text = d.string()
		} else {
			text = string(d.span())
		}
		if err := p.add(name, text, true); err != nil {
			return err
		}
		p.list[len(p.list)-1].null = first == 'n'
		return nil
	})
}
