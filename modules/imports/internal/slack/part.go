package slack

import (
	"fmt"
	"strings"
)

type partKind uint8

const (
	paraPart partKind = iota
	headingPart
	quotePart
	codePart
	listPart
	tablePart
	rulePart
	rawPart // Markdown, as it is
)

// part is a block of a text.
type part struct {
	kind  partKind
	spans []span
	parts []part // of a quote
	code  string // or Markdown
	lang  string
	items []item
	rows  [][][]span // of a table, the header first
}

// item is an item of a list.
type item struct {
	level, number int // number is 0 in a list without numbers
	spans         []span
}

func para(spans ...span) part { return part{spans: spans} }

// render returns parts as Markdown.
func render(all []part) string {
	var blocks []string
	for _, p := range all {
		if b := p.render(); strings.TrimSpace(b) != "" {
			blocks = append(blocks, b)
		}
	}
	return strings.Join(blocks, "\n\n")
}

func (p *part) render() string {
	switch p.kind {
	case headingPart:
		return "## " + markdown(p.spans, true)
	case quotePart:
		return quote(render(p.parts))
	case codePart:
		return fenced(p.lang, strings.Trim(p.code, "\n"), '`')
	case listPart:
		lines := make([]string, 0, len(p.items))
		for _, it := range p.items {
			mark := "* "
			if it.number > 0 {
				mark = fmt.Sprintf("%d. ", it.number)
			}
			lines = append(lines, strings.Repeat("  ", it.level)+mark+markdown(it.spans, false))
		}
		return strings.Join(lines, "\n")
	case tablePart:
		return table(p.rows)
	case rulePart:
		return "---"
	case rawPart:
		return p.code
	}
	return strings.Trim(markdown(p.spans, false), "\n")
}

// fenced returns a block between fences that are longer than any within it.
func fenced(header, content string, with byte) string {
	fence := strings.Repeat(string(with), max(3, longestRun(content, with)+1))
	return fence + header + "\n" + content + "\n" + fence
}

// quote quotes Markdown.
func quote(md string) string {
	switch {
	case strings.TrimSpace(md) == "":
		return ""
	case strings.Contains(md, "\n\n") || strings.Contains(md, "```"):
		return fenced("quote", md, '`')
	}
	return "> " + strings.ReplaceAll(md, "\n", "\n> ")
}

// maxPadded is the number of columns up to which all rows get as many cells.
const maxPadded = 20

// table returns a table. The header gets as many cells as the longest row.
func table(rows [][][]span) string {
	columns := 0
	for _, r := range rows {
		columns = max(columns, len(r))
	}
	if columns == 0 {
		return ""
	}
	var b strings.Builder
	for i, r := range rows {
		cells := columns
		if i > 0 && columns > maxPadded {
			cells = len(r) // a few long rows must not make all others long
		}
		for j := range cells {
			cell := ""
			if j < len(r) {
				cell = strings.TrimSpace(markdown(r[j], true))
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", columns) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plainParts returns parts without markup, to name a topic.
func plainParts(all []part) string {
	var lines []string
	for _, p := range all {
		switch p.kind {
		case codePart, rawPart:
			lines = append(lines, p.code)
		case quotePart:
			lines = append(lines, plainParts(p.parts))
		case listPart:
			for _, it := range p.items {
				lines = append(lines, plainText(it.spans))
			}
		case tablePart:
			for _, r := range p.rows {
				for _, c := range r {
					lines = append(lines, plainText(c))
				}
			}
		case rulePart:
		default:
			lines = append(lines, plainText(p.spans))
		}
	}
	return strings.Join(lines, "\n")
}
