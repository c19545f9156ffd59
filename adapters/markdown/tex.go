package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// formula is TeX. There is no engine that draws it: the source is shown where the drawing would be, which clients understand
// (markdown.md §9).
type formula struct {
	ast.BaseInline
	tex     string
	display bool
}

var kindFormula = ast.NewNodeKind("Formula")

// Kind implements ast.Node.
func (*formula) Kind() ast.NodeKind { return kindFormula }

// Dump implements ast.Node.
func (n *formula) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// tex finds $$body$$.
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
		r.replace(at, n+2, &formula{tex: in.written(s[end:n])})
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

// formulas adds a paragraph with one formula for each part of a math block.
func (p *parsing) formulas(parent ast.Node, content []string) {
	para := ast.NewParagraph()
	var part []string
	flush := func() {
		if text := strings.TrimSpace(strings.Join(part, "\n")); text != "" {
			if para.HasChildren() {
				para.AppendChild(para, &plain{text: "\n\n", raw: true})
			}
			para.AppendChild(para, &formula{tex: text, display: true})
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
