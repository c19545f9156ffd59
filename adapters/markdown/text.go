package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// textWriter collects the text of a simplified tree up to a limit.
type textWriter struct {
	text      strings.Builder
	runes     int
	limit     int
	cut       bool
	breaks    int    // line breaks to write before the next text
	prefix    string // of lines, in quotes and lists
	last      string // prefix of the last line
	marked    bool   // a list marker has just been written
	addresses bool   // write the addresses of links
	spaced    bool   // separate blocks by empty lines
}

// String returns the text collected so far.
func (w *textWriter) String() string {
	if w.cut {
		return w.text.String() + "…"
	}
	return w.text.String()
}

func (w *textWriter) children(n *nethtml.Node) {
	for c := n.FirstChild; c != nil && !w.cut; c = c.NextSibling {
		w.node(c)
	}
}

func (w *textWriter) node(n *nethtml.Node) {
	if n.Type == nethtml.TextNode {
		w.textNode(n)
		return
	}
	switch n.DataAtom {
	case atom.A:
		w.children(n)
		if address := attribute(n, "href"); w.addresses && address != "" && !shows(textOf(n), address) {
			w.write(" (" + address + ")")
		}
	case atom.Img:
		w.write(attribute(n, "alt"))
	case atom.Br:
		w.newline(1)
	case atom.Hr:
		w.block(n, func() { w.write("---") })
	case atom.Del:
		w.write("~~")
		w.children(n)
		w.write("~~")
	case atom.Pre:
		w.block(n, func() { w.code(textOf(n)) })
	case atom.Blockquote:
		w.block(n, func() { w.within("> ", n) })
	case atom.Ul, atom.Ol:
		w.block(n, func() { w.list(n) })
	case atom.Tr:
		w.block(n, func() { w.row(n) })
	default:
		if isBlock(n.DataAtom) {
			w.block(n, func() { w.children(n) })
		} else {
			w.children(n)
		}
	}
}

// shows reports whether the text of a link is its address, possibly without the scheme.
func shows(text, address string) bool {
	if text = strings.TrimSuffix(text, "/"); text == "" {
		return false
	}
	address = strings.TrimSuffix(address, "/")
	for _, scheme := range []string{"", "http://", "https://", "mailto:"} {
		if scheme+text == address {
			return true
		}
	}
	return false
}

// list writes the items of a list with their markers. Further lines of an item are indented.
func (w *textWriter) list(n *nethtml.Node) {
	number, err := strconv.Atoi(attribute(n, "start"))
	if err != nil {
		number = 1
	}
	for c := n.FirstChild; c != nil && !w.cut; c = c.NextSibling {
		if c.DataAtom != atom.Li {
			continue
		}
		marker := "• "
		if n.DataAtom == atom.Ol {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		w.newline(1)
		w.write(marker)
		w.marked = true
		w.within(strings.Repeat(" ", utf8.RuneCountInString(marker)), c)
		w.newline(1)
		w.marked = false
	}
}

// row writes the cells of a table's row.
func (w *textWriter) row(n *nethtml.Node) {
	first := true
	for c := n.FirstChild; c != nil && !w.cut; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		if !first {
			w.write(" | ")
		}
		first = false
		w.children(c)
	}
}

// code writes text whose line breaks and empty lines count.
func (w *textWriter) code(text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.breaks++
		}
		w.write(line)
	}
}

// within writes the children of n with a longer prefix on each line.
func (w *textWriter) within(more string, n *nethtml.Node) {
	before := w.prefix
	w.prefix += more
	w.children(n)
	w.prefix = before
}

// textNode writes a text node, except line breaks between HTML blocks.
func (w *textWriter) textNode(n *nethtml.Node) {
	if strings.TrimSpace(n.Data) == "" &&
		(n.PrevSibling == nil || n.NextSibling == nil || isBlock(n.PrevSibling.DataAtom)) &&
		strings.Contains(n.Data, "\n") {
		return
	}
	lines := strings.Split(n.Data, "\n")
	for i, line := range lines {
		if i > 0 && (line != "" || i < len(lines)-1) {
			w.newline(1)
		}
		w.write(line)
	}
}

// block writes the output of fn on separate lines.
func (w *textWriter) block(n *nethtml.Node, fn func()) {
	gap := 1
	if w.spaced && (n.Parent.Parent == nil || n.Parent.DataAtom == atom.Blockquote) {
		gap = 2
	}
	w.newline(gap)
	fn()
	w.newline(gap)
}

// newline begins a new line before the next text, unless nothing has been written yet.
func (w *textWriter) newline(n int) {
	if w.runes > 0 && !w.marked {
		w.breaks = max(w.breaks, n)
	}
}

// write writes text without line breaks.
func (w *textWriter) write(text string) {
	if text == "" || w.cut {
		return
	}
	w.marked = false
	if w.breaks > 0 || w.runes == 0 {
		// An empty line within a quote belongs to the quote.
		empty := strings.TrimRight(commonPrefix(w.last, w.prefix), " ")
		if w.breaks > 0 {
			text = strings.Repeat("\n"+empty, w.breaks-1) + "\n" + w.prefix + text
		} else {
			text = w.prefix + text
		}
		w.breaks, w.last = 0, w.prefix
	}
	for _, r := range text {
		if w.runes == w.limit {
			w.cut = true
			return
		}
		w.text.WriteRune(r)
		w.runes++
	}
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// hasOwnText reports whether n has text outside quotes.
func hasOwnText(n *nethtml.Node) bool {
	quotes, own := false, false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.DataAtom == atom.Blockquote:
			quotes = true
		case c.Type == nethtml.ElementNode && !isQuoteHead(c), c.Type == nethtml.TextNode && strings.TrimSpace(c.Data) != "":
			own = true
		}
	}
	return quotes && own
}

// isQuoteHead reports whether a paragraph introduces the quote that follows.
func isQuoteHead(n *nethtml.Node) bool {
	next := n.NextSibling
	for next != nil && next.Type == nethtml.TextNode {
		next = next.NextSibling
	}
	first := n.FirstChild
	return n.DataAtom == atom.P && next != nil && next.DataAtom == atom.Blockquote && first != nil &&
		hasClass(attribute(first, "class"), "user-mention") && strings.HasSuffix(textOf(n), ":")
}

// source returns the TeX source of a formula.
func source(n *nethtml.Node) string {
	if n.Data == "annotation" {
		return textOf(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if tex := source(c); tex != "" {
			return tex
		}
	}
	if hasClass(attribute(n, "class"), "katex") {
		return textOf(n)
	}
	return ""
}

func textOf(n *nethtml.Node) string {
	if n.Type == nethtml.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// unicodeEmoji returns the characters of an emoji, from the code points in its class, or its name if there are none.
func unicodeEmoji(class, name string) string {
	for one := range strings.FieldsSeq(class) {
		code, ok := strings.CutPrefix(one, "emoji-")
		if !ok {
			continue
		}
		var b strings.Builder
		for part := range strings.SplitSeq(code, "-") {
			r, err := strconv.ParseUint(part, 16, 31)
			if err != nil {
				return ":" + name + ":"
			}
			b.WriteRune(rune(r))
		}
		return b.String()
	}
	return ":" + name + ":"
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Pre, atom.Table, atom.Tr, atom.Hr,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Li:
		return true
	}
	return false
}

func attribute(n *nethtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasClass(class, name string) bool {
	for one := range strings.FieldsSeq(class) {
		if one == name {
			return true
		}
	}
	return false
}
