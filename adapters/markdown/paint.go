package markdown

import (
	"context"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	known "github.com/alecthomas/chroma/v2/lexers"

	"github.com/stoachat/stoa/adapters/markdown/languages"
)

// token is a piece of code with the short name of its Pygments token type, or "".
type token struct{ class, text string }

// lexers maps the words after a fence to languages.
type lexers struct{ byWord map[string]language }

// language holds a language's display name and its lexer, or nil if there is none.
type language struct {
	name  string
	lexer chroma.Lexer
}

// newLexers combines the language names of Pygments, which clients expect, with the lexers of Chroma. A Pygments lexer
// is mapped to the Chroma lexer of the same name, or to the first one that shares an alias. A language that only Chroma
// supports is named by the word itself.
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

// Limits of highlighting per text. The rest of the code is shown plain, which clients accept. Time is limited because
// lexers may backtrack.
const (
	maxPainted = 10_000 // bytes
	maxTime    = 30 * time.Millisecond
	maxPatient = time.Second // for background jobs
	maxTokens  = 10_000
)

// painter highlights the code in one text.
type painter struct {
	*lexers
	within context.Context
	limit  time.Duration
	ctx    context.Context // ends when the time limit is reached
	stop   context.CancelFunc
	bytes  int
	done   int // number of tokens so far
}

// block returns a code block. word names its language in lower case, or is "".
func (p *painter) block(word, code string) *codeBlock {
	n := &codeBlock{text: code}
	if word != "" {
		n.name, n.tokens = p.paint(word, code)
	}
	return n
}

// end releases the painter's timer.
func (p *painter) end() {
	if p.stop != nil {
		p.stop()
	}
}

// paint returns the name of a language and the tokens of the code, or no tokens if the code is not highlighted.
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
	if p.ctx == nil { // not earlier: compiling a lexer on its first use must not count
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

// inLines appends a token to out, split at line ends, which belong to no token.
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

// class returns the short name of a token type, or of the closest more general type that has one.
func class(t chroma.TokenType) string {
	for _, t := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if c := chroma.StandardTypes[t]; c != "" && strings.Contains(classes, " "+c+" ") {
			return c
		}
	}
	return ""
}

// classes lists the token types that clients support.
const classes = " w esc err x k kc kd kn kp kr kt n na nb bp nc no nd ni ne nf fm py nl nn nx nt nv vc vg vi vm l ld " +
	"s sa sb sc dl sd s2 se sh " +
	"si sx sr s1 ss m mb mf mh mi il mo o ow p pm c ch cm cp cpf c1 cs g gd ge gr gh gi go gp gs gu ges gt "
