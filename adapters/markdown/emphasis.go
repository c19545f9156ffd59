package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// styled is an element that contains inlines: strong, em or del.
type styled struct {
	ast.BaseInline
	tag string
}

var kindStyled = ast.NewNodeKind("Styled")

// Kind implements ast.Node.
func (*styled) Kind() ast.NodeKind { return kindStyled }

// Dump implements ast.Node.
func (n *styled) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// strongEmphasis matches ***x***.
func (in *inline) strongEmphasis(s string, after int) string {
	return in.each(s, '*', func(r *rewriting, at int) int {
		if !strings.HasPrefix(s[at:], "***") {
			return at + 1
		}
		n := emphasized(s[at+3:])
		if n == 0 || !strings.HasPrefix(s[at+3+n:], "***") {
			return at + 1
		}
		em := &styled{tag: "em"}
		in.into(em, s[at+3:at+3+n], after)
		strong := &styled{tag: "strong"}
		strong.AppendChild(strong, em)
		r.replace(at, at+6+n, strong)
		return at + 6 + n
	})
}

// emphasis matches *x*.
func (in *inline) emphasis(s string, after int) string {
	return in.each(s, '*', func(r *rewriting, at int) int {
		n := emphasized(s[at+1:])
		if n == 0 {
			return at + 1
		}
		r.replace(at, at+2+n, in.within(&styled{tag: "em"}, s[at+1:at+1+n], after))
		return at + 2 + n
	})
}

// emphasized returns the length of the text up to the closing star, or 0 if the text cannot be emphasized.
func emphasized(s string) int {
	n := strings.IndexAny(s, "*^\n")
	if n < 1 || s[n] != '*' || space(s[0]) || space(s[n-1]) {
		return 0
	}
	return n
}

// strong matches **x**.
func (in *inline) strong(s string, after int) string {
	return in.paired(s, "**", func(inner string) *styled {
		return in.within(&styled{tag: "strong"}, inner, after)
	})
}

// deleted matches ~~x~~.
func (in *inline) deleted(s string, after int) string {
	return in.each(s, '~', func(r *rewriting, at int) int {
		end := at
		for end < len(s) && s[end] == '~' {
			end++
		}
		if end-at != 2 {
			return end
		}
		n := strings.IndexAny(s[end:], "~\n")
		if n < 1 || !strings.HasPrefix(s[end+n:], "~~") || strings.HasPrefix(s[end+n:], "~~~") {
			return end
		}
		r.replace(at, end+n+2, in.within(&styled{tag: "del"}, s[end:end+n], after))
		return end + n + 2
	})
}

// paired matches the shortest non-empty text between two marks on the same line.
func (in *inline) paired(s, mark string, newNode func(inner string) *styled) string {
	unmatchedUntil := 0 // no closing mark follows before this position
	return in.each(s, mark[0], func(r *rewriting, at int) int {
		inner := at + len(mark)
		if !strings.HasPrefix(s[at:], mark) || inner >= len(s) || at < unmatchedUntil {
			return at + 1
		}
		line := strings.IndexByte(s[inner:], '\n')
		if line < 0 {
			line = len(s) - inner
		}
		if line == 0 {
			return at + 1
		}
		n := strings.Index(s[inner+1:inner+line], mark)
		if n < 0 {
			unmatchedUntil = inner + line
			return at + 1
		}
		r.replace(at, inner+1+n+len(mark), newNode(s[inner:inner+1+n]))
		return inner + 1 + n + len(mark)
	})
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\v' || c == '\f' }
