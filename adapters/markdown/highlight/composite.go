package highlight

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/chroma/v2"
	known "github.com/alecthomas/chroma/v2/lexers"
)

// maxName limits the names of languages inside code, in bytes: Chroma compares them with some thousand file patterns.
const maxName = 64

// named returns the lexer with a name that occurs in code, or nil.
func (h *Highlighter) named(name string) lexer {
	if len(name) > maxName {
		return nil
	}
	if x := known.Get(name); x != nil {
		return h.lexers[x]
	}
	return nil
}

// adapt returns the counterpart of a lexer of Chroma, whose parts are private. TestAdapted holds that all are found.
func (h *Highlighter) adapt(x chroma.Lexer) (lexer, error) {
	if l, ok := h.lexers[x]; ok {
		return l, nil
	}
	l, err := h.counterpart(x)
	if err != nil {
		return nil, err
	}
	h.lexers[x] = l
	return l, nil
}

func (h *Highlighter) counterpart(x chroma.Lexer) (lexer, error) {
	if r, ok := x.(*chroma.RegexLexer); ok {
		// Raku's rules contain loops of their own that take quadratic time, and they change rules that all texts share.
		if r.Config().Name == "Raku" {
			return nil, errRefused
		}
		// RegexLexer.Rules would also compile them and keep them for good.
		fetch, err := field[func() (chroma.Rules, error)](x, "fetchRulesFunc")
		return &regexLexer{r, fetch}, err
	}
	switch name := reflect.TypeOf(x).String(); name {
	case "*chroma.delegatingLexer":
		root, err := h.part(x, "root")
		if err != nil {
			return nil, err
		}
		language, err := h.part(x, "language")
		return delegating{root, language}, err
	case "*chroma.remappingLexer":
		inner, err := h.part(x, "lexer")
		if err != nil {
			return nil, err
		}
		mapper, err := field[func(chroma.Token) []chroma.Token](x, "mapper")
		return remapped{inner, mapper}, err
	case "*lexers.markdownLexer":
		inner, err := h.part(x, "Lexer")
		return markdown{inner}, err
	case "*lexers.httpBodyContentTyper":
		inner, err := h.part(x, "Lexer")
		return http{inner}, err
	default:
		return nil, fmt.Errorf("%s: unknown type of lexer %s", x.Config().Name, name)
	}
}

// part returns the counterpart of a lexer inside another one.
func (h *Highlighter) part(x chroma.Lexer, name string) (lexer, error) {
	inner, err := field[chroma.Lexer](x, name)
	if err != nil {
		return nil, err
	}
	return h.adapt(inner)
}

// field returns a private field of the struct that x points to, if it has exactly the type T.
func field[T any](x any, name string) (T, error) {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		if f := v.Elem().FieldByName(name); f.IsValid() && f.Type() == reflect.TypeFor[T]() {
			return *(*T)(f.Addr().UnsafePointer()), nil
		}
	}
	var zero T
	return zero, fmt.Errorf("%T has no field %s of type %T", x, name, zero)
}

// remapped changes the tokens of another lexer.
type remapped struct {
	lexer
	mapper func(chroma.Token) []chroma.Token
}

func (m remapped) scan(r *run, o options, text string, out *tokens) error {
	var inner tokens
	if err := r.scan(m.lexer, o, text, &inner); err != nil {
		return err
	}
	for _, t := range inner.list {
		for _, t := range m.mapper(t) {
			if err := out.add(t.Type, t.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// markdown highlights YAML at the start of a document.
type markdown struct{ lexer }

func (m markdown) scan(r *run, o options, text string, out *tokens) error {
	if yaml := r.named("YAML"); yaml != nil {
		if n := frontMatter(text); n > 0 {
			if err := r.scan(yaml, o, text[:n], out); err != nil {
				return err
			}
			text = text[n:]
		}
	}
	return r.scan(m.lexer, o, text, out)
}

// frontMatter returns the length of the lines from "---" to "---" at the start of a text, or 0.
func frontMatter(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		rule := line == "---\n" || line == "---\r\n"
		if n == 0 && !rule {
			return 0
		}
		if n += len(line); rule && n > len(line) {
			return n
		}
	}
	return 0
}

// http highlights the body of a request or response by its content type.
type http struct{ lexer }

func (h http) scan(r *run, o options, text string, out *tokens) error {
	var inner tokens
	if err := r.scan(h.lexer, o, text, &inner); err != nil {
		return err
	}
	kind, next := "", false
	for _, t := range inner.list {
		switch {
		case t.Type == chroma.Name && strings.ToLower(t.Value) == "content-type":
			next = true
		case t.Type == chroma.Literal && next:
			next = false
			kind = strings.TrimSpace(t.Value)
			if i := strings.Index(kind, ";"); i > 0 {
				kind = strings.TrimSpace(kind[:i])
			}
		case t.Type == chroma.Generic && kind != "":
			if body := r.ofType(kind); body != nil {
				if err := r.scan(body, standalone, t.Value, out); err != nil {
					return err
				}
				continue
			}
			t.Type = chroma.Text
		}
		if err := out.add(t.Type, t.Value); err != nil {
			return err
		}
	}
	return nil
}

// ofType returns the lexer of a media type, or nil. A type such as application/calendar+xml is XML.
func (h *Highlighter) ofType(kind string) lexer {
	x := known.MatchMimeType(kind)
	if base, suffix, ok := cutLast(kind, "+"); x == nil && ok {
		x = known.MatchMimeType(base[:strings.Index(base, "/")+1] + suffix)
	}
	if x == nil {
		return nil
	}
	return h.lexers[x]
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
