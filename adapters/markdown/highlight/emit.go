package highlight

import (
	"fmt"
	"reflect"

	"github.com/alecthomas/chroma/v2"
	known "github.com/alecthomas/chroma/v2/lexers"
)

// emitter appends the tokens of a match.
type emitter interface {
	emit(r *run, l *regexLexer, groups []string, out *tokens) error
}

type (
	plain      chroma.TokenType
	byGroups   []emitter
	using      string // the name of another lexer
	usingSelf  string // a state of the same lexer
	usingGroup struct {
		name, code int // numbers of groups
		emitters   []emitter
	}
	usingLexer struct{ lexer }
	// calling calls an emitter of Chroma that creates tokens without lexing.
	calling chroma.EmitterFunc
	// rstCode is the emitter of code blocks in reStructuredText.
	rstCode struct{}
)

// emitter translates an emitter of Chroma, which would run Chroma's own loop for nested code.
func (h *Highlighter) emitter(l *regexLexer, e chroma.Emitter) (emitter, error) {
	switch e := e.(type) {
	case nil:
		return nil, nil
	case chroma.TokenType:
		return plain(e), nil
	case chroma.EmitterFunc:
		return h.function(l, e)
	case chroma.SerialisableEmitter:
		v := reflect.Indirect(reflect.ValueOf(e))
		switch e.EmitterKind() {
		case "bygroups":
			return h.byGroups(l, v)
		case "using":
			return using(v.FieldByName("Lexer").String()), nil
		case "usingself":
			return usingSelf(v.FieldByName("State").String()), nil
		case "usingbygroup":
			all, err := h.byGroups(l, v)
			return usingGroup{int(v.FieldByName("SublexerNameGroup").Int()), int(v.FieldByName("CodeGroup").Int()), all},
				err
		}
	}
	return nil, fmt.Errorf("%s: unknown emitter %T", l.Config().Name, e)
}

func (h *Highlighter) byGroups(l *regexLexer, v reflect.Value) (byGroups, error) {
	var out byGroups
	for _, e := range v.FieldByName("Emitters").Interface().(chroma.Emitters) {
		one, err := h.emitter(l, e)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// function translates an emitter that is a Go function, of which each lexer here has only one kind.
func (h *Highlighter) function(l *regexLexer, f chroma.EmitterFunc) (emitter, error) {
	switch l.Config().Name {
	case "HTTP":
		return calling(f), nil
	case "reStructuredText":
		return rstCode{}, nil
	case "Go": // templates in raw strings
		inner := h.lexers[known.GoTextTemplate]
		if inner == nil {
			return nil, errRefused
		}
		return usingLexer{remapped{inner, func(t chroma.Token) []chroma.Token {
			if t.Type == chroma.Other {
				t.Type = chroma.LiteralString
			}
			return []chroma.Token{t}
		}}}, nil
	}
	return nil, fmt.Errorf("%s: unknown function as emitter", l.Config().Name)
}

func (p plain) emit(_ *run, _ *regexLexer, groups []string, out *tokens) error {
	return out.add(chroma.TokenType(p), groups[0])
}

func (b byGroups) emit(r *run, l *regexLexer, groups []string, out *tokens) error {
	if len(b) != len(groups)-1 {
		return out.add(chroma.Error, groups[0])
	}
	for i, e := range b {
		if e == nil {
			continue
		}
		if err := e.emit(r, l, groups[i+1:i+2], out); err != nil {
			return err
		}
	}
	return nil
}

func (u using) emit(r *run, _ *regexLexer, groups []string, out *tokens) error {
	l := r.named(string(u))
	if l == nil {
		return errRefused
	}
	return r.scan(l, options{state: "root", nested: true}, groups[0], out)
}

func (u usingSelf) emit(r *run, l *regexLexer, groups []string, out *tokens) error {
	return r.scan(l, options{state: string(u), nested: true}, groups[0], out)
}

func (u usingLexer) emit(r *run, _ *regexLexer, groups []string, out *tokens) error {
	return r.scan(u.lexer, options{state: "root", nested: true}, groups[0], out)
}

func (u usingGroup) emit(r *run, l *regexLexer, groups []string, out *tokens) error {
	if len(u.emitters) != len(groups)-1 {
		return fmt.Errorf("%s: a rule has %d groups and %d emitters", l.Config().Name, len(groups)-1, len(u.emitters))
	}
	inner := r.named(groups[u.name])
	for i, e := range u.emitters {
		var err error
		if i == u.code-1 && inner != nil {
			err = r.scan(inner, standalone, groups[u.code], out)
		} else if e != nil {
			err = e.emit(r, l, groups[i+1:i+2], out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c calling) emit(_ *run, l *regexLexer, groups []string, out *tokens) error {
	next := c(groups, &chroma.LexerState{Lexer: l.RegexLexer, Groups: groups})
	for t := next(); t != chroma.EOF; t = next() {
		if err := out.add(t.Type, t.Value); err != nil {
			return err
		}
	}
	return nil
}

func (rstCode) emit(r *run, _ *regexLexer, groups []string, out *tokens) error {
	for i, kind := range []chroma.TokenType{chroma.Punctuation, chroma.Text, chroma.OperatorWord, chroma.Punctuation,
		chroma.Text, chroma.Keyword, chroma.Text} {
		if err := out.add(kind, groups[i+1]); err != nil {
			return err
		}
	}
	var code string
	for _, g := range groups[8:] {
		code += g
	}
	if inner := r.named(groups[6]); inner != nil {
		return r.scan(inner, standalone, code, out)
	}
	return out.add(chroma.String, code)
}
