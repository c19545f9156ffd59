package markdown

import (
	"strings"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mailStyles holds the styles of elements in emails, whose clients ignore style sheets.
var mailStyles = map[atom.Atom]string{
	atom.Blockquote: "margin: 8px 0; padding-left: 10px; border-left: 3px solid #ccc; color: #555",
	atom.Pre:        "margin: 8px 0; padding: 8px; background: #f4f4f4; font-size: 13px; white-space: pre-wrap",
	atom.Code:       "padding: 0 3px; background: #f4f4f4; font-size: 13px",
	atom.Table:      "border-collapse: collapse",
	atom.Th:         "padding: 3px 8px; border: 1px solid #ccc",
	atom.Td:         "padding: 3px 8px; border: 1px solid #ccc",
	atom.H3:         "margin: 12px 0 4px; font-size: 16px",
	atom.P:          "margin: 4px 0",
}

const (
	mentionStyle = "background: #e8eefc"
	spoilerStyle = "padding: 4px 10px; border: 1px solid #ccc"
)

// maxMarkup is the maximum length of HTML in emails per code point of the limit of its text, in bytes. A text of normal
// length in many elements or with long addresses is truncated earlier.
const maxMarkup = 16

// mailHTML returns a simplified tree as HTML, truncated to limit code points and maxMarkup * limit bytes. It changes
// the tree.
func mailHTML(body *nethtml.Node, limit int) string {
	decorate(body)
	t := &truncation{runes: limit, bytes: maxMarkup*limit - len("…")}
	t.children(body)
	var b strings.Builder
	for c := body.FirstChild; c != nil; c = c.NextSibling {
		if err := nethtml.Render(&b, c); err != nil { // only void elements with children cannot be written
			return ""
		}
	}
	return strings.TrimSpace(b.String())
}

// truncation is what remains of the limits of an email's HTML.
type truncation struct{ runes, bytes int }

// children removes what exceeds the limits, and reports whether anything does.
func (t *truncation) children(n *nethtml.Node) (cut bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case cut:
			n.RemoveChild(c)
		case c.Type == nethtml.TextNode:
			cut = t.text(c)
		default:
			if t.element(c) {
				replace(c, newText("…"))
				cut = true
			} else {
				cut = t.children(c)
			}
		}
		c = next
	}
	return cut
}

func (t *truncation) text(n *nethtml.Node) (cut bool) {
	blank := strings.TrimSpace(n.Data) == ""
	for i, r := range n.Data {
		size := len(nethtml.EscapeString(string(r)))
		if t.runes == 0 && !blank || t.bytes < size {
			n.Data = n.Data[:i] + "…"
			return true
		}
		if t.bytes -= size; !blank {
			t.runes--
		}
	}
	return false
}

// element counts the tags of an element, and reports whether they exceed the limits.
func (t *truncation) element(n *nethtml.Node) (cut bool) {
	t.bytes -= 2*len(n.Data) + len("<></>")
	for _, a := range n.Attr {
		t.bytes -= len(a.Key) + len(nethtml.EscapeString(a.Val)) + len(` =""`)
	}
	if n.DataAtom == atom.Img {
		t.runes -= utf8.RuneCountInString(attribute(n, "alt"))
	}
	return t.bytes < 0 || t.runes < 0
}

// decorate adds the styles of emails to a simplified tree, and replaces classes and elements that emails lack.
func decorate(n *nethtml.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == nethtml.ElementNode {
			decorate(c)
			dress(c)
		}
		c = next
	}
}

func dress(n *nethtml.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6: // the email has headings of its own
		n.DataAtom, n.Data = atom.H3, "h3"
	case atom.A:
		if attribute(n, "href") == "" {
			n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil
		}
		return
	case atom.Img:
		if src := attribute(n, "src"); !strings.HasPrefix(src, "https://") && !strings.HasPrefix(src, "http://") {
			replace(n, newText(attribute(n, "alt")))
			return
		}
		n.Attr = append(n.Attr, nethtml.Attribute{Key: "height", Val: "20"},
			nethtml.Attribute{Key: "style", Val: "vertical-align: middle"})
		return
	case atom.Div, atom.Span:
		class := attribute(n, "class")
		n.Attr = nil
		switch {
		case class == "spoiler-block":
			style(n, spoilerStyle)
		case class != "":
			style(n, mentionStyle)
		}
		return
	case atom.P, atom.Br, atom.Hr, atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Pre, atom.Code, atom.Table,
		atom.Thead, atom.Tbody, atom.Tr, atom.Th, atom.Td, atom.Strong, atom.Em, atom.Del:
	default: // nothing else occurs
		n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil
		return
	}
	if s := mailStyles[n.DataAtom]; s != "" {
		style(n, s)
	}
}

// style adds a style to an element.
func style(n *nethtml.Node, s string) {
	for i, a := range n.Attr {
		if a.Key == "style" { // the alignment of a table's column
			n.Attr[i].Val = s + "; " + a.Val
			return
		}
	}
	n.Attr = append(n.Attr, nethtml.Attribute{Key: "style", Val: s})
}
