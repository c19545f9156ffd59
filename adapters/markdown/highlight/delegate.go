package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// delegating combines a template language with the language around it: what the former leaves as chroma.Other is
// highlighted by the latter as one text, as chroma.DelegatingLexer does.
type delegating struct{ root, language lexer }

// insertion is a sequence of tokens of the template language, at an offset in the whole text.
type insertion struct {
	start, end int
	tokens     []chroma.Token
}

func (d delegating) scan(r *run, o options, text string, out *tokens) error {
	var inner tokens
	if err := r.scan(d.language, o, text, &inner); err != nil {
		return err
	}
	others, insertions := separate(coalesce(inner.list))
	if len(insertions) == 0 {
		return r.scan(d.root, o, text, out)
	}
	o.nested = true // a line break that the language at the end of the text lacks would be inserted anywhere
	var around tokens
	if err := r.scan(d.root, o, others, &around); err != nil {
		return err
	}
	for _, t := range interleave(coalesce(around.list), insertions) {
		if err := out.add(t.Type, t.Value); err != nil {
			return err
		}
	}
	return nil
}

// separate returns the text of all other tokens, and the rest.
func separate(list []chroma.Token) (string, []*insertion) {
	var others strings.Builder
	var insertions []*insertion
	var insert *insertion
	offset := 0
	var last chroma.Token
	for _, t := range list {
		if t.Type == chroma.Other {
			if insert != nil && last.Type != chroma.Other {
				insert.end = offset
			}
			others.WriteString(t.Value)
		} else {
			if last == chroma.EOF || last.Type == chroma.Other {
				insert = &insertion{start: offset}
				insertions = append(insertions, insert)
			}
			insert.tokens = append(insert.tokens, t)
		}
		last = t
		offset += len(t.Value)
	}
	return others.String(), insertions
}

// interleave inserts the insertions, splitting the tokens around them.
func interleave(around []chroma.Token, insertions []*insertion) []chroma.Token {
	var out []chroma.Token
	offset := 0
	var t chroma.Token // what remains of the current one
	for {
		if t == chroma.EOF && len(around) > 0 {
			t, around = around[0], around[1:]
		}
		switch {
		case len(insertions) > 0 && (t == chroma.EOF || insertions[0].start < offset+len(t.Value)):
			i := insertions[0]
			insertions = insertions[1:]
			if n := i.start - offset; t != chroma.EOF && n > 0 {
				out = append(out, chroma.Token{Type: t.Type, Value: t.Value[:n]})
				t.Value = t.Value[n:]
				offset += n
			}
			out = append(out, i.tokens...)
			offset += i.end - i.start
		case t != chroma.EOF:
			out = append(out, t)
			offset += len(t.Value)
			t = chroma.EOF
		default:
			return out
		}
	}
}
