package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// blocks parses lines without fences as blocks separated by blank lines. If tight is set, text becomes part of a list
// item directly, without a paragraph.
func (p *parsing) blocks(parent ast.Node, ls []string, depth int, tight bool) {
	for i := 0; i < len(ls); {
		if ls[i] == "" {
			i++
			continue
		}
		end := i
		for end < len(ls) && ls[end] != "" {
			end++
		}
		p.block(parent, ls[i:end], depth, tight)
		i = end
	}
}

// block parses non-blank lines. It tries the block types in the order that the dialect defines.
func (p *parsing) block(parent ast.Node, ls []string, depth int, tight bool) {
	if depth > maxDepth {
		p.flat(parent, ls)
		return
	}
	if last, ok := parent.LastChild().(*list); ok && indent(ls[0]) >= 2 {
		p.further(last, ls, depth)
		return
	}
	for len(ls) > 0 {
		if ls = p.indented(parent, ls); len(ls) == 0 {
			return
		}
		end := 0
		for end < len(ls) && headingLevel(ls[end]) == 0 {
			end++
		}
		p.section(parent, ls[:end], depth, tight)
		if end == len(ls) {
			return
		}
		level := headingLevel(ls[end])
		h := ast.NewHeading(level)
		p.inline(h, strings.TrimSpace(strings.TrimRight(ls[end][level:], "#")))
		parent.AppendChild(parent, h)
		ls = ls[end+1:]
	}
}

// section parses lines without headings: a table, or parts separated by horizontal rules.
func (p *parsing) section(parent ast.Node, ls []string, depth int, tight bool) {
	for len(ls) > 0 {
		if p.table(parent, ls) {
			return
		}
		end := 0
		for end < len(ls) && !rule(ls[end]) {
			end++
		}
		p.piece(parent, ls[:end], depth, tight)
		if end == len(ls) {
			return
		}
		parent.AppendChild(parent, ast.NewThematicBreak())
		ls = p.indented(parent, ls[end+1:])
	}
}

// piece parses a list, or a paragraph optionally followed by a quote.
func (p *parsing) piece(parent ast.Node, ls []string, depth int, tight bool) {
	if len(ls) == 0 {
		return
	}
	if it, ok := itemOf(ls[0]); ok && it.indent < 2 {
		p.items(parent, ls, depth, tight)
		return
	}
	at := quoteAt(ls)
	p.paragraph(parent, ls[:at], tight)
	if at == len(ls) {
		return
	}
	inner := make([]string, 0, len(ls)-at)
	for _, l := range ls[at:] {
		if quoteLine(l) {
			l = strings.TrimPrefix(l[indent(l)+1:], " ")
			if strings.TrimLeft(l, " ") == "" {
				l = ""
			}
		}
		inner = append(inner, l)
	}
	q := ast.NewBlockquote()
	parent.AppendChild(parent, q)
	p.quoted++
	p.blocks(q, inner, depth+1, false)
	p.quoted--
}

func (p *parsing) paragraph(parent ast.Node, ls []string, tight bool) {
	if len(ls) == 0 {
		return
	}
	var n ast.Node
	if n = ast.NewParagraph(); tight && !parent.HasChildren() {
		n = ast.NewTextBlock()
	}
	p.inline(n, strings.TrimLeft(strings.Join(ls, "\n"), " "))
	parent.AppendChild(parent, n)
}

// flat adds lines as one paragraph.
func (p *parsing) flat(parent ast.Node, ls []string) {
	if text := strings.TrimSpace(strings.Join(ls, "\n")); text != "" {
		p.paragraph(parent, []string{text}, false)
	}
}

// indented parses leading lines indented by four spaces as code, and returns the other lines.
func (p *parsing) indented(parent ast.Node, ls []string) []string {
	n := 0
	for n < len(ls) && indent(ls[n]) >= 4 {
		n++
	}
	if n == 0 {
		return ls
	}
	code := strings.TrimRight(strings.Join(outdent(ls[:n], 4), "\n"), " ")
	if before, ok := parent.LastChild().(*codeBlock); ok && before.indented {
		before.text += "\n\n" + code
	} else {
		n := &codeBlock{text: code, indented: true}
		parent.AppendChild(parent, n)
		p.indentedCode = append(p.indentedCode, n)
	}
	return ls[n:]
}

// headingLevel returns the level of the heading on a line, or 0.
func headingLevel(line string) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n == len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// rule reports whether a line is a horizontal rule: three or more of the same character, -, _ or *, with up to two
// spaces in between.
func rule(line string) bool {
	start := indent(line)
	line = strings.TrimRight(line[min(start, len(line)):], " ")
	if start > 3 || len(line) < 3 || strings.IndexByte("-_*", line[0]) < 0 {
		return false
	}
	marks, blanks := 0, 0
	for i := range len(line) {
		switch line[i] {
		case line[0]:
			marks, blanks = marks+1, 0
		case ' ':
			if blanks++; blanks > 2 {
				return false
			}
		default:
			return false
		}
	}
	return marks >= 3
}

// quoteLine reports whether a line begins with a quote mark.
func quoteLine(line string) bool {
	n := indent(line)
	return n < 4 && n < len(line) && line[n] == '>'
}

// quoteAt returns the index of the line at which a quote begins, which extends to the last line, or len(ls). Quote
// marks without text do not begin a quote.
func quoteAt(ls []string) int {
	end := len(ls)
	for end > 0 && quoteLine(ls[end-1]) && strings.Trim(ls[end-1], "> ") == "" {
		end--
	}
	for i := range end {
		if quoteLine(ls[i]) {
			return i
		}
	}
	return len(ls)
}
