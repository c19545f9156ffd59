package markdown

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/stoachat/stoa/domain/markdown"
)

// formula is a TeX formula. If it is not rendered, its source is shown in the same elements, which clients support.
type formula struct {
	ast.BaseInline
	tex          string
	display      bool
	renderedHTML string // HTML; "" if not rendered
	wrong        bool   // invalid TeX
}

var kindFormula = ast.NewNodeKind("Formula")

// Kind implements ast.Node.
func (*formula) Kind() ast.NodeKind { return kindFormula }

// Dump implements ast.Node.
func (n *formula) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// tex matches $$body$$.
func (in *inline) tex(s string, _ int) string {
	return in.each(s, '$', func(r *rewriting, at int) int {
		end := at
		for end < len(s) && s[end] == '$' {
			end++
		}
		if end-at != 2 || end == len(s) || s[end] == '_' || s[end] == '\n' || wordBefore(s, at) {
			return end
		}
		n := end
		for n < len(s) && s[n] != '$' && s[n] != '\n' {
			if strings.HasPrefix(s[n:], `\$`) {
				n++
			}
			n++
		}
		if !strings.HasPrefix(s[n:], "$$") || strings.HasPrefix(s[n:], "$$$") || wordAt(s, n+2) {
			return n
		}
		r.replace(at, n+2, in.formula(in.written(s[end:n]), false))
		return n + 2
	})
}

func wordBefore(s string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:at])
	return at > 0 && wordRune(r)
}

func wordAt(s string, at int) bool {
	r, _ := utf8.DecodeRuneInString(s[at:])
	return at < len(s) && wordRune(r)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// formulas adds a paragraph with the formulas of a math block, which are separated by blank lines.
func (p *parsing) formulas(parent ast.Node, content []string) {
	para := ast.NewParagraph()
	var part []string
	flush := func() {
		if text := strings.TrimSpace(strings.Join(part, "\n")); text != "" {
			if para.HasChildren() {
				para.AppendChild(para, &plain{text: "\n\n", raw: true})
			}
			para.AppendChild(para, p.formula(text, true))
		}
		part = part[:0]
	}
	for _, l := range content {
		if l == "" {
			flush()
			continue
		}
		part = append(part, l)
	}
	if flush(); para.HasChildren() {
		parent.AppendChild(parent, para)
	}
}

// formula records a formula to be rendered after the text has been parsed.
func (p *parsing) formula(tex string, display bool) *formula {
	f := &formula{tex: tex, display: display}
	p.written = append(p.written, f)
	return f
}

// Limits of rendering the formulas of one text. Formulas beyond them are shown as source.
const (
	maxMathTime    = 200 * time.Millisecond
	maxMathPatient = 5 * time.Second // for background jobs
	maxMathHTML    = 400_000         // bytes, well below the limit of a rendering
)

// renderFormulas renders formulas until the limits are reached.
func (p *parsing) renderFormulas() {
	if len(p.written) == 0 || p.math == nil {
		return
	}
	limit := maxMathTime
	if p.source.Background {
		limit = maxMathPatient
	}
	ctx, cancel := context.WithTimeout(p.time, limit)
	defer cancel()
	room := maxMathHTML
	for _, f := range p.written {
		html, err := p.math.Formula(ctx, f.tex, f.display)
		switch {
		case errors.Is(err, markdown.ErrTeX):
			f.wrong = true
		case err == nil && len(html) <= room:
			f.renderedHTML = html
			room -= len(html)
		}
	}
}
