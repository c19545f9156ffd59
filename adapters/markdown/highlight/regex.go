package highlight

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
)

// lexer splits a text into tokens.
type lexer interface {
	scan(r *run, o options, text string, out *tokens) error
}

// regexLexer runs the rules of a chroma.RegexLexer.
type regexLexer struct {
	*chroma.RegexLexer
	fetch func() (chroma.Rules, error)
}

func (l *regexLexer) scan(r *run, o options, text string, out *tokens) error {
	t, err := r.tables.get(r, l)
	if err != nil {
		return err
	}
	if o.lf {
		text = lineFeeds(text)
	}
	added := !o.nested && l.Config().EnsureNL && !strings.HasSuffix(text, "\n")
	if added {
		text += "\n"
	}
	s := &chroma.LexerState{Lexer: l.RegexLexer, Text: []rune(text), Stack: []string{o.state},
		MutatorContext: map[any]any{}}
	end := len(s.Text)
	if added {
		end--
	}
	for idle := 0; s.Pos < end && len(s.Stack) > 0; {
		at := s.Pos
		if err := l.step(r, t, o, s, out); err != nil {
			return err
		}
		if s.Pos > at {
			idle = 0
		} else if idle++; idle > maxIdle {
			return errIdle
		}
	}
	if s.Pos != len(s.Text) && len(s.Stack) == 0 {
		return out.add(chroma.Error, string(s.Text[s.Pos:]))
	}
	return nil
}

// step applies the first rule that matches. It is one round of the loop in chroma.LexerState.Iterator.
func (l *regexLexer) step(r *run, t *table, o options, s *chroma.LexerState, out *tokens) error {
	s.State = s.Stack[len(s.Stack)-1]
	rules, ok := t.states[s.State]
	if !ok {
		return errors.New("unknown state " + s.State)
	}
	rule, groups, err := r.match(t, rules, s.Text, s.Pos)
	if err != nil {
		return err
	}
	if rule == nil {
		if s.Text[s.Pos] == '\n' && s.State != o.state { // recover from an error at the end of the line
			s.Stack = []string{o.state}
			return nil
		}
		s.Pos++
		return out.add(chroma.Error, string(s.Text[s.Pos-1:s.Pos]))
	}
	s.Groups = groups
	s.Pos += utf8.RuneCountInString(groups[0])
	if rule.mutator != nil {
		if err := rule.mutator.Mutate(s); err != nil {
			return err
		}
	}
	if rule.emitter == nil {
		return nil
	}
	return rule.emitter.emit(r, l, groups, out)
}

// lineFeeds replaces CR and CRLF by LF.
func lineFeeds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
