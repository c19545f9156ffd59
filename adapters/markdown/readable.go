package markdown

import (
	"path"
	"strings"
	"time"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stoachat/stoa/domain/markdown"
)

// Text implements ports.Renderer.
func (e *engine) Text(rendered string, r markdown.Reader) string {
	w := &textWriter{limit: r.Limit}
	w.children(readable(rendered, r))
	return w.String()
}

// Mail implements ports.Renderer.
func (e *engine) Mail(rendered string, r markdown.Reader) (text, html string) {
	body := readable(rendered, r)
	w := &textWriter{limit: r.Limit, addresses: true, spaced: true}
	w.children(body)
	return w.String(), mailHTML(body, r.Limit)
}

// simplifier reduces the HTML of a message to what can be shown without a client's scripts and styles: elements of a
// small vocabulary, links with absolute addresses, and hardly any attributes.
type simplifier struct {
	markdown.Reader
	linked map[string]bool // targets of visible links
}

// readable returns the simplified tree of a message. Spoilers are without their content, times in the reader's, emoji
// are characters, formulas their source, and pictures links.
func readable(rendered string, r markdown.Reader) *nethtml.Node {
	body := &nethtml.Node{Type: nethtml.ElementNode, DataAtom: atom.Div, Data: "div"}
	nodes, err := nethtml.ParseFragment(strings.NewReader(rendered), body)
	if err != nil { // readers of strings do not fail
		return body
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	s := &simplifier{Reader: r, linked: map[string]bool{}}
	s.Brief = s.Brief && hasOwnText(body)
	s.collect(body)
	s.children(body)
	return body
}

// collect records the targets of links, except those of previews, embeds and spoilers.
func (s *simplifier) collect(n *nethtml.Node) {
	switch class := attribute(n, "class"); {
	case isPreview(class), hasClass(class, "message_embed"), hasClass(class, "spoiler-content"):
		return
	case n.DataAtom == atom.A:
		s.linked[attribute(n, "href")] = true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s.collect(c)
	}
}

func (s *simplifier) children(n *nethtml.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == nethtml.ElementNode {
			s.element(c)
		} else if c.Type != nethtml.TextNode {
			n.RemoveChild(c)
		}
		c = next
	}
}

// element replaces or simplifies an element.
func (s *simplifier) element(n *nethtml.Node) {
	switch class := attribute(n, "class"); {
	case hasClass(class, "message_embed"): // its link is in the text
		n.Parent.RemoveChild(n)
	case isPreview(class):
		s.preview(n)
	case hasClass(class, "spoiler-content"):
		hidden := s.Hidden
		if hidden == "" {
			hidden = "(…)"
		}
		replace(n, newElement(atom.P, newText(hidden)))
	case hasClass(class, "codehilite"):
		replace(n, newElement(atom.Pre, newText(strings.Trim(textOf(n), "\n"))))
	case hasClass(class, "katex-display"):
		if n.PrevSibling != nil {
			n.Parent.InsertBefore(newElement(atom.Br), n)
		}
		replace(n, newElement(atom.Code, newText(source(n))))
	case hasClass(class, "katex"):
		replace(n, newElement(atom.Code, newText(source(n))))
	case hasClass(class, "tex-error"):
		replace(n, newElement(atom.Code, newText(textOf(n))))
	case n.DataAtom == atom.Span && hasClass(class, "emoji"):
		replace(n, newText(unicodeEmoji(class, attribute(n, "title"))))
	case n.DataAtom == atom.Img && hasClass(class, "emoji"):
		n.Attr = []nethtml.Attribute{{Key: "alt", Val: attribute(n, "alt")},
			{Key: "src", Val: s.absolute(attribute(n, "src"))}}
	case n.DataAtom == atom.Img:
		replace(n, s.file(attribute(n, "alt"), attribute(n, "data-original-src")))
	case n.DataAtom == atom.Audio:
		replace(n, s.file(attribute(n, "title"), attribute(n, "src")))
	case n.DataAtom == atom.Time:
		s.time(n)
	case n.DataAtom == atom.A:
		n.Attr = []nethtml.Attribute{{Key: "href", Val: s.absolute(attribute(n, "href"))}}
		s.children(n)
	case n.DataAtom == atom.Blockquote && s.Brief:
		replace(n, newElement(atom.P, newText("[…]")))
	default:
		s.plain(n, class)
	}
}

// plain removes all attributes except those that both parts of an email need.
func (s *simplifier) plain(n *nethtml.Node, class string) {
	var keep []nethtml.Attribute
	cell := n.DataAtom == atom.Td || n.DataAtom == atom.Th
	for _, a := range n.Attr {
		if a.Key == "start" && n.DataAtom == atom.Ol || a.Key == "style" && cell && strings.HasPrefix(a.Val, "text-align: ") {
			keep = append(keep, a)
		}
	}
	for _, known := range []string{"user-mention", "user-group-mention", "topic-mention", "spoiler-block"} {
		if hasClass(class, known) && !hasClass(class, "silent") {
			keep = append(keep, nethtml.Attribute{Key: "class", Val: known})
		}
	}
	n.Attr = keep
	s.children(n)
}

// time replaces the text of a time by the reader's local time.
func (s *simplifier) time(n *nethtml.Node) {
	text := textOf(n)
	if at, err := time.Parse(time.RFC3339, attribute(n, "datetime")); err == nil && s.Date != nil {
		text = s.Date(at)
	}
	replace(n, newText(text))
}

// preview replaces the preview of a link by the link, unless that is in the text.
func (s *simplifier) preview(n *nethtml.Node) {
	a := n.FirstChild
	if a == nil || s.linked[attribute(a, "href")] {
		n.Parent.RemoveChild(n)
		return
	}
	link := s.file(attribute(a, "title"), attribute(a, "href"))
	if n.Parent.DataAtom != atom.Li {
		link = newElement(atom.P, link)
	}
	replace(n, link)
}

// file returns a link to a picture or recording. Without a description, it is named like the uploaded file.
func (s *simplifier) file(description, href string) *nethtml.Node {
	if blank(description) {
		description = href
		if name, ok := strings.CutPrefix(href, "/user_uploads/"); ok {
			description = path.Base(uploadPath(name))
		}
	}
	a := newElement(atom.A, newText(description))
	a.Attr = []nethtml.Attribute{{Key: "href", Val: s.absolute(href)}}
	return a
}

// absolute returns an address that works outside of the client, or "" if there is none.
func (s *simplifier) absolute(href string) string {
	switch name := scheme(href); {
	case href == "":
		return ""
	case name != "":
		if allowed(name) {
			return href
		}
		return ""
	case strings.HasPrefix(href, "//"):
		return "https:" + href
	case s.Site == "":
		return ""
	case strings.HasPrefix(href, "/"):
		return s.Site + href
	default:
		return s.Site + "/" + href
	}
}

func isPreview(class string) bool { return hasClass(class, "message_inline_image") }

func newText(s string) *nethtml.Node { return &nethtml.Node{Type: nethtml.TextNode, Data: s} }

func newElement(a atom.Atom, children ...*nethtml.Node) *nethtml.Node {
	n := &nethtml.Node{Type: nethtml.ElementNode, DataAtom: a, Data: a.String()}
	for _, c := range children {
		n.AppendChild(c)
	}
	return n
}

// replace puts a node in the place of another one.
func replace(old, with *nethtml.Node) {
	old.Parent.InsertBefore(with, old)
	old.Parent.RemoveChild(old)
}
