package markdown

import (
	"context"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/stoachat/stoa/adapters/markdown/highlight"
)

// token is a piece of code with the short name of its Pygments token type, or "".
type token struct{ class, text string }

// Limits of highlighting per text. Code beyond them is shown plain, which clients accept.
const (
	maxPainted        = 10_000 // bytes
	maxTime           = 30 * time.Millisecond
	maxTimePatient    = time.Second            // for background jobs
	maxPrepare        = 100 * time.Millisecond // in addition, for languages that were not used lately
	maxPreparePatient = 3 * time.Second        // for background jobs
)

// painter highlights the code in one text.
type painter struct {
	*lexers
	ctx    context.Context
	budget highlight.Budget
	bytes  int
}

// painter returns the painter of a text.
func (l *lexers) painter(ctx context.Context, patient bool) painter {
	budget := highlight.Budget{Time: maxTime, Prepare: maxPrepare}
	if patient {
		budget = highlight.Budget{Time: maxTimePatient, Prepare: maxPreparePatient}
	}
	return painter{lexers: l, ctx: ctx, budget: budget}
}

// block returns a code block. word names its language in lower case; if it is "", the first line of the code may.
func (p *painter) block(word, code string) *codeBlock {
	n := &codeBlock{text: code}
	if word != "" {
		n.name, n.tokens = p.paint(word, code)
	} else {
		p.detect(n)
	}
	return n
}

// detect highlights a code block without a language if its first line names one. The block gets no display name, since
// its author has named none.
func (p *painter) detect(n *codeBlock) {
	if word, code, ok := p.declared(n.text); ok {
		n.text = code
		_, n.tokens = p.paint(word, code)
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
	if lang.lexer == nil || name == "Text only" || p.bytes > maxPainted || p.budget.Time <= 0 {
		return name, nil
	}
	lines := code + "\n" // rules may require that the last line ends, too
	list, err := p.Tokens(p.ctx, &p.budget, lang.lexer, lines)
	if err != nil {
		return name, nil
	}
	var out []token
	left := lines
	for _, t := range list {
		rest, same := strings.CutPrefix(left, t.Value)
		if !same {
			return name, nil
		}
		left = rest
		out = inLines(out, class(t.Type), t.Value)
	}
	if left != "" {
		return name, nil
	}
	return name, out[:len(out)-1]
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
