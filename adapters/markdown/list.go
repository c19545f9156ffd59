package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// list is a list that records where its items begin.
type list struct {
	*ast.List
	offset int // indentation of the list within its parent item
}

// item is a line that begins a list item.
type item struct {
	indent  int
	ordered bool
	start   string // the number, as written
	text    string
}

// itemOf parses a line that begins an item.
func itemOf(line string) (item, bool) {
	it := item{indent: indent(line)}
	rest := line[it.indent:]
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	switch {
	case n > 0 && n < len(rest) && rest[n] == '.':
		it.ordered, it.start, rest = true, rest[:n], rest[n+1:]
	case n == 0 && rest != "" && strings.IndexByte("*+-", rest[0]) >= 0:
		rest = rest[1:]
	default:
		return item{}, false
	}
	if !strings.HasPrefix(rest, " ") {
		return item{}, false
	}
	it.text = strings.TrimLeft(rest, " ")
	return it, true
}

// items parses lines of which the first begins a list item. If the preceding node is a list of the same kind, the items
// continue it, and the blank line in between makes it loose. tight is set for nested lists, which no blank line
// precedes.
func (p *parsing) items(parent ast.Node, ls []string, depth int, tight bool) {
	first, _ := itemOf(ls[0])
	l, ok := parent.LastChild().(*list)
	separates := ok && l.IsOrdered() == first.ordered && !tight
	if !ok || l.IsOrdered() != first.ordered {
		l = newList(first)
		parent.AppendChild(parent, l)
	} else if separates {
		p.loosen(l.LastChild())
	}
	for i := 0; i < len(ls); {
		it, _ := itemOf(ls[i])
		own, end := i+1, i+1
		for ; end < len(ls); end++ {
			next, ok := itemOf(ls[end])
			if ok && next.indent < 2 && next.ordered == first.ordered {
				break
			}
			if own == end && (!ok || next.indent < 2) {
				own++ // number of lines before the first nested item
			}
		}
		li := ast.NewListItem(0)
		l.AppendChild(l, li)
		p.itemText(li, it.text, ls[i+1:own], depth, !separates)
		separates = false
		if own < end {
			p.nested(li, ls[own:end], depth)
		}
		i = end
	}
}

func newList(first item) *list {
	mark := byte('*')
	if first.ordered {
		mark = '.'
	}
	l := &list{List: ast.NewList(mark)}
	l.Start = 1
	if start := strings.TrimLeft(first.start, "0"); first.ordered && len(start) < 10 {
		l.Start = 0
		for i := range len(start) {
			l.Start = l.Start*10 + int(start[i]-'0')
		}
	}
	return l
}

func (p *parsing) itemText(li ast.Node, text string, more []string, depth int, tight bool) {
	ls := make([]string, 0, 1+len(more))
	if text != "" {
		ls = append(ls, text)
	}
	if ls = append(ls, more...); len(ls) > 0 {
		p.block(li, ls, depth+1, tight)
	}
}

// nested parses an item's lines, beginning with its first nested item.
func (p *parsing) nested(li ast.Node, ls []string, depth int) {
	offset := indent(ls[0])
	if _, ok := li.LastChild().(*list); ok || depth >= maxDepth {
		p.block(li, outdent(ls, offset), depth+1, true)
		return
	}
	p.items(li, outdent(ls, offset), depth+1, true)
	if l, ok := li.LastChild().(*list); ok {
		l.offset = offset
	}
}

// further parses a block that is indented below a list. It belongs to the last item, or to a list nested in that.
func (p *parsing) further(l *list, ls []string, depth int) {
	li := l.LastChild()
	inner, ok := li.LastChild().(*list)
	offset := 2
	if ok && indent(ls[0]) >= inner.offset {
		offset = inner.offset
	} else if it, isItem := itemOf(ls[0]); isItem {
		offset = it.indent
	}
	p.block(li, outdent(ls, offset), depth+1, false)
	if now, isList := li.LastChild().(*list); !ok || !isList || now != inner {
		p.loosen(li)
	}
	if now, isList := li.LastChild().(*list); isList && now != inner {
		now.offset = offset
	}
}

// loosen converts an item's text to a paragraph.
func (p *parsing) loosen(li ast.Node) {
	t, ok := li.FirstChild().(*ast.TextBlock)
	if !ok {
		return
	}
	para := ast.NewParagraph()
	for c := t.FirstChild(); c != nil; c = t.FirstChild() {
		para.AppendChild(para, c)
	}
	li.ReplaceChild(li, t, para)
}
