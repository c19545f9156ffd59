package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// table is a table whose rows all have as many cells as the header.
type table struct {
	ast.BaseBlock
	align []string // per column: "", left, center, right
}

var kindTable, kindRow, kindCell = ast.NewNodeKind("Table"), ast.NewNodeKind("Row"), ast.NewNodeKind("Cell")

// Kind implements ast.Node.
func (*table) Kind() ast.NodeKind { return kindTable }

// Dump implements ast.Node.
func (n *table) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type row struct {
	ast.BaseBlock
	header bool
}

// Kind implements ast.Node.
func (*row) Kind() ast.NodeKind { return kindRow }

// Dump implements ast.Node.
func (n *row) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type cell struct {
	ast.BaseBlock
	tag, align string
}

// Kind implements ast.Node.
func (*cell) Kind() ast.NodeKind { return kindCell }

// Dump implements ast.Node.
func (n *cell) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// table parses lines that form a table. It returns false if they do not.
func (p *parsing) table(parent ast.Node, ls []string) bool {
	if len(ls) < 2 || strings.IndexByte(ls[0], '|') < 0 || !separatorLike(ls[1]) {
		return false
	}
	head, separators := cells(ls[0]), cells(ls[1])
	if len(head) != len(separators) {
		return false
	}
	t := &table{align: make([]string, len(head))}
	for i, s := range separators {
		left, right := strings.HasPrefix(s, ":"), strings.HasSuffix(s, ":")
		if s = strings.Trim(s, ":"); s == "" || strings.Trim(s, "-") != "" {
			return false
		}
		switch {
		case left && right:
			t.align[i] = "center"
		case left:
			t.align[i] = "left"
		case right:
			t.align[i] = "right"
		}
	}
	if len(head)*len(ls) > maxCells {
		return false
	}
	p.row(t, head, true)
	for _, l := range ls[2:] {
		p.row(t, cells(l), false)
	}
	if len(ls) == 2 {
		p.row(t, nil, false)
	}
	parent.AppendChild(parent, t)
	return true
}

// maxCells limits the cells of a table. Short rows are padded, so a table may have more cells than its text.
const maxCells = 20_000

func separatorLike(line string) bool {
	return strings.Trim(line, "|:- ") == "" && strings.IndexByte(line, '-') >= 0
}

func (p *parsing) row(t *table, texts []string, header bool) {
	r := &row{header: header}
	tag := "td"
	if header {
		tag = "th"
	}
	for i, align := range t.align {
		c := &cell{tag: tag, align: align}
		if i < len(texts) && texts[i] != "" {
			p.inline(c, texts[i])
		}
		r.AppendChild(r, c)
	}
	t.AppendChild(t, r)
}

// cells splits a row at vertical bars, except in code spans and after backslashes.
func cells(line string) []string {
	line = strings.Trim(line, " ")
	line = strings.TrimPrefix(line, "|")
	code := codeSpans(line)
	var out []string
	start := 0
	for i := 0; i < len(line); i++ {
		if len(code) > 0 && i == code[0].start {
			i = code[0].end - 1
			code = code[1:]
			continue
		}
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			out = append(out, strings.Trim(line[start:i], " "))
			start = i + 1
		}
	}
	if start < len(line) {
		out = append(out, strings.Trim(line[start:], " "))
	}
	return out
}
