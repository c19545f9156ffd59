package inbound

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func isBlock(n *html.Node) bool { return slices.Contains(blockTags, n.DataAtom) }

// isBlank reports whether a node displays nothing. A no-break space counts as content: it makes an empty line.
func isBlank(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.Trim(n.Data, " \t\r\n") == ""
	}
	if n.DataAtom == atom.Br || n.DataAtom == atom.Hr {
		return false
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if !isBlank(child) {
			return false
		}
	}
	return true
}

// holdsBlock reports whether a node contains a block.
func holdsBlock(n *html.Node) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if isBlock(child) || holdsBlock(child) {
			return true
		}
	}
	return false
}

func lineBreak() *html.Node { return &html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br} }

// unwrapLines replaces those children of n that are lines, as most mail clients write them (<div>text</div>), by their
// content and a line break. Otherwise they would become paragraphs.
func unwrapLines(n *html.Node) {
	var before *html.Node // the last node before the current one that displays something
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.DataAtom != atom.Div || holdsBlock(child):
			if !isBlank(child) {
				before = child
			}
		case isBlank(child):
			n.RemoveChild(child)
		default:
			if before != nil && !isBlock(before) && before.DataAtom != atom.Br {
				n.InsertBefore(lineBreak(), child)
			}
			for child.FirstChild != nil {
				moved := child.FirstChild
				child.RemoveChild(moved)
				n.InsertBefore(moved, child)
				if !isBlank(moved) {
					before = moved
				}
			}
			if before.DataAtom != atom.Br {
				before = lineBreak()
				n.InsertBefore(before, child)
			}
			n.RemoveChild(child)
		}
		child = next
	}
}

// mergeTexts merges adjacent texts, for which the library takes time that grows with the square of their number.
func mergeTexts(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.TextNode {
			mergeTexts(child)
			continue
		}
		var w strings.Builder
		for next := child.NextSibling; next != nil && next.Type == html.TextNode; next = child.NextSibling {
			if w.Len() == 0 {
				w.WriteString(child.Data)
			}
			w.WriteString(next.Data)
			n.RemoveChild(next)
		}
		if w.Len() > 0 {
			child.Data = w.String()
		}
	}
}

// cells returns the rows of a table, without those of tables within it.
func cells(table *html.Node) [][]*html.Node {
	var rows [][]*html.Node
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			switch child.DataAtom {
			case atom.Tr:
				rows = append(rows, nil)
			case atom.Td, atom.Th:
				if len(rows) == 0 {
					rows = append(rows, nil)
				}
				rows[len(rows)-1] = append(rows[len(rows)-1], child)
				continue
			case atom.Table:
				continue
			}
			walk(child)
		}
	}
	walk(table)
	return slices.DeleteFunc(rows, func(row []*html.Node) bool { return len(row) == 0 })
}

// maxCell is the longest text of a cell, in bytes, in a table that is shown as one.
const maxCell = 300

// hasColumns reports whether a table shows data in columns, and prepares it for the conversion. Most tables in emails
// only lay out the page.
func hasColumns(table *html.Node) bool {
	rows := cells(table)
	width, headers := 0, false
	for _, row := range rows {
		columns := 0
		for _, cell := range row {
			columns += span(cell)
			headers = headers || cell.DataAtom == atom.Th
		}
		width = max(width, columns)
	}
	fits := len(rows) >= 2 && width >= 2 && width <= maxColumns && len(rows)*width <= maxCells
	if !fits || attribute(table, "role") != "" || holdsStrays(table) {
		return false
	}
	for _, row := range rows {
		for _, cell := range row {
			if len(content(cell)) > maxCell || !isSimple(cell, headers) {
				return false
			}
		}
	}
	for _, row := range rows {
		for _, cell := range row {
			flatten(cell)
			for range span(cell) - 1 {
				empty := &html.Node{Type: html.ElementNode, Data: "td", DataAtom: atom.Td}
				cell.Parent.InsertBefore(empty, cell.NextSibling)
			}
			cell.Attr = slices.DeleteFunc(cell.Attr, func(a html.Attribute) bool { return a.Key != "align" })
		}
	}
	return true
}

// holdsStrays reports whether a table contains text outside of its cells and its caption.
func holdsStrays(n *html.Node) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch child.DataAtom {
		case atom.Td, atom.Th, atom.Caption:
		case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr:
			if holdsStrays(child) {
				return true
			}
		default:
			if strings.TrimSpace(content(child)) != "" {
				return true
			}
		}
	}
	return false
}

// maxCells limits the cells of a table, which the conversion fills up to a rectangle.
const maxCells = 2000

// span returns the number of columns of a cell.
func span(cell *html.Node) int {
	n, err := strconv.Atoi(attribute(cell, "colspan"))
	if err != nil {
		return 1
	}
	return max(1, min(n, maxColumns+1))
}

// isSimple reports whether a cell contains only text, in at most a few lines.
func isSimple(cell *html.Node, headers bool) bool {
	lines, simple := 0, true
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for child := n.FirstChild; child != nil && simple; child = child.NextSibling {
			switch child.DataAtom {
			case atom.Br, atom.P, atom.Div:
				lines++
			default:
				simple = !isBlock(child)
			}
			walk(child)
		}
	}
	walk(cell)
	return simple && (headers || lines <= 2)
}

// flatten makes the content of a cell one line.
func flatten(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type == html.TextNode:
			child.Data = strings.NewReplacer("|", "&#124;", "\n", " ", "\r", " ").Replace(child.Data)
		case child.DataAtom == atom.Br:
			child.Type, child.Data, child.DataAtom = html.TextNode, " ", 0
		case isBlock(child):
			child.Data, child.DataAtom = "span", atom.Span
			child.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
		}
		flatten(child)
	}
}

// layout replaces a table by its cells: those of a row become a line if they are text, or else paragraphs.
func layout(table *html.Node) {
	for _, row := range cells(table) {
		line := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		isLine := !slices.ContainsFunc(row, holdsBlock)
		for _, cell := range row {
			if isBlank(cell) {
				continue
			}
			part := line
			if !isLine {
				part = &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
				line.AppendChild(part)
			} else if line.FirstChild != nil {
				line.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
			}
			for cell.FirstChild != nil {
				moved := cell.FirstChild
				cell.RemoveChild(moved)
				part.AppendChild(moved)
			}
			if part != line {
				unwrapLines(part)
			}
		}
		unwrapLines(line)
		table.Parent.InsertBefore(line, table)
	}
	replace(table, content(table)) // what is not in a cell
}
