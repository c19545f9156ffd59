package markdown

import (
	"context"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	known "github.com/alecthomas/chroma/v2/lexers"

	"github.com/stoachat/stoa/adapters/markdown/languages"
)

// token is a part of code; class is a short name of Pygments, "" for none.
type token struct{ class, text string }

// lexers finds the language of a code block by the word after the fence.
type lexers struct{ byWord map[string]language }

// language is a language as clients are told it, and the lexer that highlights it; nil if there is none.
type language struct {
	name  string
	lexer chroma.Lexer
}

// newLexers takes the names of languages from Pygments, since clients go by them, and the lexers from Chroma: for a
// Pygments lexer the one of the same name, else the first that shares one of its aliases. A language that only Chroma
// has keeps the word as its name.
func newLexers() *lexers {
	painting := map[string]chroma.Lexer{}
	for _, x := range known.GlobalLexerRegistry.Lexers {
		for _, word := range append([]string{x.Config().Name}, x.Config().Aliases...) {
			painting[strings.ToLower(word)] = x
		}
	}
	l := &lexers{byWord: make(map[string]language, 1500)}
	for word, x := range painting {
		l.byWord[word] = language{word, x}
	}
	for _, one := range languages.All() {
		lexer := painting[strings.ToLower(one.Name)]
		for _, alias := range one.Aliases {
			if lexer == nil {
				lexer = painting[alias]
			}
		}
		for _, alias := range one.Aliases {
			l.byWord[alias] = language{one.Name, lexer}
		}
	}
	return l
}

// Bounds of what is highlighted in one text; the rest is shown as plain code, which clients take as well. The lexers
// look for patterns that may go back and forth, so that the work is bounded in time too.
const (
	maxPainted = 10_000 // bytes
	maxTime    = 30 * time.Millisecond
	maxPatient = time.Second // when nobody waits
	maxTokens  = 10_000
)

// painter highlights the code of one text.
type painter struct {
	*lexers
	within context.Context
	limit  time.Duration
	ctx    context.Context // ends when the time is up
	stop   context.CancelFunc
	bytes  int
	done   int // tokens
}

// block gives the block that some code is; word is what names its language, in lower case, "" for none.
func (p *painter) block(word, code string) *codeBlock {
	n := &codeBlock{text: code}
	if word != "" {
		n.name, n.tokens = p.paint(word, code)
	}
	return n
}

// end frees what the painting has taken.
func (p *painter) end() {
	if p.stop != nil {
		p.stop()
	}
}

// paint gives the name of a language and the code in it as tokens; none if it is not highlighted.
func (p *painter) paint(word, code string) (string, []token) {
	lang, ok := p.byWord[word]
	if !ok {
		return word, nil
	}
	name := lang.name
	p.bytes += len(code)
	if lang.lexer == nil || name == "Text only" || p.bytes > maxPainted || p.ctx != nil && p.ctx.Err() != nil {
		return name, nil
	}
	next, err := chroma.Coalesce(lang.lexer).Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return name, nil
	}
	if p.ctx == nil { // not sooner: a lexer that is used for the first time is compiled, which is nobody's fault
		p.ctx, p.stop = context.WithTimeout(p.within, p.limit)
	}
	var out []token
	size := 0
	for t := next(); t != chroma.EOF; t = next() {
		if p.done++; p.done > maxTokens || p.ctx.Err() != nil {
			return name, nil
		}
		size += len(t.Value)
		out = inLines(out, class(t.Type), t.Value)
	}
	if size != len(code) {
		return name, nil
	}
	return name, out
}

// inLines adds a token; it is cut at the ends of lines, which stand between the spans.
func inLines(out []token, class, text string) []token {
	for text != "" {
		line, rest, more := strings.Cut(text, "\n")
		if line != "" {
			out = append(out, token{class, line})
		}
		if more {
			out = append(out, token{"", "\n"})
		}
		text = rest
	}
	return out
}

// class gives the short name of a type of token, or of the wider type that it belongs to.
func class(t chroma.TokenType) string {
	for _, t := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if c := chroma.StandardTypes[t]; c != "" && strings.Contains(classes, " "+c+" ") {
			return c
		}
	}
	return ""
}

// classes are those that clients know.
const classes = " w esc err x k kc kd kn kp kr kt n na nb bp nc no nd ni ne nf fm py nl nn nx nt nv vc vg vi vm l ld s sa sb sc dl sd s2 se sh " +
	"si sx sr s1 ss m mb mf mh mi il mo o ow p pm c ch cm cp cpf c1 cs g gd ge gr gh gi go gp gs gu ges gt "
