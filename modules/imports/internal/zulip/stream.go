package zulip

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stoachat/stoa/domain/importing"
)

// damage is an error of the syntax of a file.
type damage struct{ error }

// rows calls fn for each row of each table of a file, which is an object of lists. Other values are skipped. Only one
// row at a time is kept. Errors: damage.
func rows(from io.Reader, fn func(table string, n int, row []byte) error) error {
	g := &guard{from: from}
	d := json.NewDecoder(g)
	g.reset()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return damage{errors.Join(err, errors.New("not an object"))}
	}
	next := func(table string, n int) error {
		g.reset()
		var row json.RawMessage
		if err := d.Decode(&row); err != nil {
			return damage{fmt.Errorf("%s %d: %w", table, n, err)}
		}
		return fn(table, n, row)
	}
	for d.More() {
		g.reset()
		t, err := d.Token()
		table, ok := t.(string)
		if err != nil || !ok {
			return damage{errors.Join(err, errors.New("not a name of a table"))}
		}
		if t, err = d.Token(); err == nil && t != json.Delim('[') {
			if err = skip(d, t); err == nil {
				continue
			}
		}
		if err != nil {
			return damage{fmt.Errorf("%s: %w", table, err)}
		}
		for n := 0; d.More(); n++ {
			if err := next(table, n); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return damage{fmt.Errorf("%s: %w", table, err)}
		}
	}
	if _, err := d.Token(); err != nil {
		return damage{err}
	}
	return nil
}

// skip skips the rest of a value that begins with a token.
func skip(d *json.Decoder, t json.Token) error {
	for depth := 0; ; {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if t, err = d.Token(); err != nil {
			return err
		}
	}
}

// guard ends a value that is too large to be kept.
type guard struct {
	from io.Reader
	left int
}

func (g *guard) reset() { g.left = importing.MaxValue + 1<<20 }

// Read implements io.Reader.
func (g *guard) Read(p []byte) (int, error) {
	if g.left <= 0 {
		return 0, errors.New("a value is too large")
	}
	n, err := g.from.Read(p[:min(len(p), g.left)])
	g.left -= n
	return n, err
}
