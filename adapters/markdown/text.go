package markdown

import (
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text implements ports.Renderer.
func (e *engine) Text(rendered string, limit int) string {
	body := &nethtml.Node{Type: nethtml.ElementNode, DataAtom: atom.Div, Data: "div"}
	nodes, err := nethtml.ParseFragment(strings.NewReader(rendered), body)
	if err != nil { // readers of strings do not fail
		return ""
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	w := &textWriter{limit: limit, terse: hasOwnText(body)}
	w.children(body)
	return w.String()
}

// textWriter collects the text of HTML up to a limit.
type textWriter struct {
	text   strings.Builder
	runes  int
	limit  int
	cut    bool
	breaks int    // line breaks to write before the next text
	quote  string // prefix of lines
	terse  bool   // omit quotes
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
	switch n.Type {
	case nethtml.TextNode:
		w.textNode(n)
		return
	case nethtml.ElementNode:
	default:
		return
	}
	class := attribute(n, "class")
	switch {
	case hasClass(class, "katex"):
		w.write(source(n))
	case hasClass(class, "spoiler-content"):
		w.block(func() { w.write("(…)") })
	case n.DataAtom == atom.Span && hasClass(class, "emoji"):
		w.write(unicodeEmoji(class, attribute(n, "title")))
	case n.DataAtom == atom.Img:
		w.write(attribute(n, "alt"))
	case n.DataAtom == atom.Br:
		w.newline(1)
	case n.DataAtom == atom.Blockquote && w.terse:
		w.block(func() { w.write("[…]") })
	case n.DataAtom == atom.Blockquote:
		w.block(func() {
			before := w.quote
			w.quote += "> "
			w.children(n)
			w.quote = before
		})
	case n.DataAtom == atom.Li:
		w.block(func() {
			w.write("• ")
			w.children(n)
		})
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		w.children(n)
		w.write(" ")
	case isBlock(n.DataAtom):
		w.block(func() { w.children(n) })
	default:
		w.children(n)
	}
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
func (w *textWriter) block(fn func()) {
	w.newline(1)
	fn()
	w.newline(1)
}

// newline begins a new line before the next text, unless nothing has been written yet.
func (w *textWriter) newline(n int) {
	if w.runes > 0 {
		w.breaks = max(w.breaks, n)
	}
}

// write writes text without line breaks.
func (w *textWriter) write(text string) {
	if text == "" || w.cut {
		return
	}
	if w.breaks > 0 || w.runes == 0 {
		text = strings.Repeat("\n", w.breaks) + w.quote + text
		w.breaks = 0
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
