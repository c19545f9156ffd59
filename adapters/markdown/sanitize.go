package markdown

import (
	"net/url"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// sanitize returns what is harmless in a module's HTML: elements of text and, in a block, of blocks, classes with a
// prefix, titles, and links to the web, to addresses of email, and within the server. It reports whether there are
// links. All elements are closed, so that the rest of the text is not affected.
func sanitize(source, class string, block bool) (html string, links bool) {
	body := &nethtml.Node{Type: nethtml.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := nethtml.ParseFragment(strings.NewReader(source), body)
	if err != nil {
		return escape(source), false
	}
	s := sanitizer{class: class, block: block}
	for _, n := range nodes {
		s.write(n, 0)
	}
	return s.b.String(), s.links
}

type sanitizer struct {
	class string
	block bool
	b     strings.Builder
	links bool
}

func (s *sanitizer) write(n *nethtml.Node, depth int) {
	if n.Type == nethtml.TextNode {
		s.b.WriteString(escape(strings.Map(visible, n.Data)))
		return
	}
	if n.Type != nethtml.ElementNode || depth > maxDepth || hidden(n.DataAtom) {
		return
	}
	allowed := s.allows(n.DataAtom)
	if allowed {
		tag(&s.b, n.Data, s.attributes(n))
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s.write(c, depth+1)
	}
	if allowed && n.DataAtom != atom.Br && n.DataAtom != atom.Hr {
		s.b.WriteString("</" + n.Data + ">")
	}
}

// hidden reports whether the content of an element is no text for readers.
func hidden(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Noscript, atom.Textarea, atom.Select,
		atom.Svg, atom.Math, atom.Title, atom.Noembed, atom.Noframes, atom.Xmp, atom.Plaintext:
		return true
	}
	return false
}

func (s *sanitizer) allows(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Br, atom.Code, atom.Del, atom.Em, atom.I, atom.Kbd, atom.S, atom.Span, atom.Strong, atom.Sub,
		atom.Sup, atom.U:
		return true
	case atom.Blockquote, atom.Div, atom.Dd, atom.Dl, atom.Dt, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Hr, atom.Li, atom.Ol, atom.P, atom.Pre, atom.Table, atom.Tbody, atom.Td, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return s.block
	}
	return false
}

func (s *sanitizer) attributes(n *nethtml.Node) []attr {
	var all []attr
	for _, a := range n.Attr {
		switch {
		case a.Namespace != "":
		case a.Key == "class":
			var own []string
			for _, name := range strings.Fields(a.Val) {
				if strings.HasPrefix(name, s.class) {
					own = append(own, name)
				}
			}
			if len(own) > 0 {
				all = append(all, attr{"class", strings.Join(own, " ")})
			}
		case a.Key == "title":
			all = append(all, attr{"title", strings.Map(visible, a.Val)})
		case a.Key == "href" && n.DataAtom == atom.A && harmless(a.Val):
			all, s.links = append(all, attr{"href", a.Val}), true
		}
	}
	return all
}

// harmless reports whether a link leads to the web, to an address of email, or to a page of the server.
func harmless(href string) bool {
	if strings.ContainsFunc(href, func(r rune) bool { return visible(r) < 0 || r == '\\' || r == '\n' || r == '\t' }) {
		return false
	}
	u, err := url.Parse(href)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	case "":
		inside := strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//")
		return u.Host == "" && (inside || strings.HasPrefix(href, "#"))
	}
	return false
}

// visible drops control characters other than white space.
func visible(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}
