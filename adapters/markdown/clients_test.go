package markdown_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// problems lists everything in HTML that strict clients would reject.
func problems(content string) []string {
	nodes, err := html.ParseFragment(strings.NewReader(content),
		&html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return []string{err.Error()}
	}
	c := &client{}
	c.blocks(nodes, "top")
	return c.problems
}

type client struct{ problems []string }

func (c *client) bad(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func get(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// only rejects attributes other than those listed.
func (c *client) only(n *html.Node, keys ...string) {
	for _, a := range n.Attr {
		if !slices.Contains(keys, a.Key) {
			c.bad("%s has an attribute %s", n.Data, a.Key)
		}
	}
}

func children(n *html.Node) []*html.Node { return slices.Collect(n.ChildNodes()) }

func class(n *html.Node) string { s, _ := get(n, "class"); return s }

func isNewline(n *html.Node) bool { return n.Type == html.TextNode && n.Data == "\n" }

func (c *client) blocks(ns []*html.Node, in string) {
	for _, n := range ns {
		if isNewline(n) {
			continue
		}
		if n.Type != html.ElementNode {
			c.bad("text %q between the blocks of %s", n.Data, in)
			continue
		}
		c.block(n)
	}
}

func block(n *html.Node) bool {
	return n.Type == html.ElementNode && slices.Contains([]string{"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol",
		"blockquote", "table", "hr", "div"}, n.Data)
}

func (c *client) block(n *html.Node) {
	switch n.Data {
	case "p":
		c.only(n)
		c.paragraph(children(n))
	case "h1", "h2", "h3", "h4", "h5", "h6":
		c.only(n)
		c.inlines(children(n))
	case "ul", "ol":
		c.only(n, "start")
		if start, ok := get(n, "start"); ok && !regexp.MustCompile(`^\d+$`).MatchString(start) {
			c.bad("a list starts at %q", start)
		}
		for _, li := range children(n) {
			if isNewline(li) {
				continue
			}
			if li.Data != "li" {
				c.bad("%q in a list", li.Data)
				continue
			}
			c.item(li)
		}
	case "blockquote":
		c.only(n)
		c.blocks(children(n), n.Data)
	case "hr", "br":
		c.only(n)
	case "table":
		c.table(n)
	case "div":
		c.div(n)
	default:
		c.bad("a block %s", n.Data)
	}
}

func (c *client) paragraph(ns []*html.Node) {
	if len(ns) == 0 || ns[0].Type != html.ElementNode || class(ns[0]) != "katex-display" {
		c.inlines(ns)
		return
	}
	for i, n := range ns {
		if i%2 == 1 && n.Data != "\n\n" || i%2 == 0 && class(n) != "katex-display" {
			c.bad("%q beside a formula", n.Data)
		}
		if i%2 == 0 {
			c.formula(children(n), true)
		}
	}
}

func (c *client) item(li *html.Node) {
	c.only(li)
	var text []*html.Node
	previewed := false
	for _, n := range children(li) {
		switch {
		case block(n):
			c.block(n)
			previewed = previewed || strings.Contains(class(n), "message_inline_image")
		case isNewline(n) && n.PrevSibling == nil, isNewline(n) && n.PrevSibling != nil && block(n.PrevSibling):
		case previewed:
			c.bad("%q after a preview in an item", n.Data)
		default:
			text = append(text, n)
		}
	}
	c.inlines(text)
}

func (c *client) table(n *html.Node) {
	parts := children(n)
	if len(parts) != 5 || !isNewline(parts[0]) || parts[1].Data != "thead" || !isNewline(parts[2]) ||
		parts[3].Data != "tbody" || !isNewline(parts[4]) {
		c.bad("a table of other parts")
		return
	}
	if len(children(parts[1])) != 3 {
		c.bad("a header of several rows")
	}
	columns := -1
	for _, part := range []*html.Node{parts[1], parts[3]} {
		for i, tr := range children(part) {
			if i%2 == 0 && !isNewline(tr) || i%2 == 1 && tr.Data != "tr" {
				c.bad("%q in %s", tr.Data, part.Data)
				continue
			}
			if i%2 == 0 {
				continue
			}
			cells := 0
			for _, td := range children(tr) {
				if isNewline(td) {
					continue
				}
				cells++
				c.only(td, "style")
				if style, ok := get(td, "style"); ok &&
					!regexp.MustCompile(`^text-align: (left|center|right);$`).MatchString(style) {
					c.bad("style %q", style)
				}
				c.inlines(children(td))
			}
			if columns >= 0 && cells != columns || cells == 0 {
				c.bad("a row of %d cells", cells)
			}
			columns = cells
		}
	}
}

func (c *client) div(n *html.Node) {
	ns := children(n)
	switch class(n) {
	case "spoiler-block":
		c.only(n, "class")
		if len(ns) != 2 || class(ns[0]) != "spoiler-header" || class(ns[1]) != "spoiler-content" {
			c.bad("a spoiler of %d parts", len(ns))
			return
		}
		c.blocks(children(ns[0]), "a spoiler")
		c.blocks(children(ns[1]), "a spoiler")
	case "codehilite":
		c.only(n, "class", "data-code-language")
		if len(ns) != 1 || ns[0].Data != "pre" {
			c.bad("code of other parts")
			return
		}
		c.code(children(ns[0]))
	case "message_inline_image":
		c.only(n, "class")
		c.media(ns, "img", true)
	case "message_inline_image message_inline_video":
		c.only(n, "class")
		c.media(ns, "video", false)
	case "youtube-video message_inline_image", "embed-video message_inline_image":
		c.only(n, "class")
		c.media(ns, "img", false)
	case "message_embed":
		c.only(n, "class")
		c.embed(ns)
	default:
		c.bad("a div of class %q", class(n))
	}
}

const codeClasses = " w esc err x k kc kd kn kp kr kt n na nb bp nc no nd ni ne nf fm py nl nn nx nt nv vc vg vi vm " +
	"l ld s sa sb sc dl sd s2 se sh si sx sr s1 ss m mb mf mh mi il mo o ow p pm c ch cm cp cpf c1 cs g gd ge gr gh gi " +
	"go gp gs gu ges gt "

func (c *client) code(ns []*html.Node) {
	if len(ns) != 2 || ns[0].Data != "span" || ns[0].FirstChild != nil || ns[1].Data != "code" {
		c.bad("code of other parts")
		return
	}
	text := ""
	for _, n := range children(ns[1]) {
		if n.Type == html.TextNode {
			text = n.Data
			continue
		}
		c.only(n, "class")
		if n.Data != "span" || !strings.Contains(codeClasses, " "+class(n)+" ") || n.FirstChild == nil ||
			n.FirstChild.Type != html.TextNode || n.FirstChild.NextSibling != nil {
			c.bad("%s of class %q in code", n.Data, class(n))
			continue
		}
		text = n.FirstChild.Data
	}
	if !strings.HasSuffix(text, "\n") {
		c.bad("code does not end in a newline")
	}
}

func (c *client) media(ns []*html.Node, tag string, placeholder bool) {
	if len(ns) != 1 || ns[0].Data != "a" || class(ns[0]) != "" || ns[0].FirstChild == nil ||
		ns[0].FirstChild.NextSibling != nil || ns[0].FirstChild.Data != tag {
		c.bad("a preview of other parts")
		return
	}
	c.only(ns[0], "href", "title", "data-id")
	inner := ns[0].FirstChild
	c.only(inner, "src", "preload", "class", "data-original-content-type", "data-original-dimensions", "data-animated",
		"data-transcoded-image")
	if src, _ := get(inner, "src"); src == "" || class(inner) != "" && !placeholder {
		c.bad("%s without src, or with a class", tag)
	}
	c.dimensions(inner)
}

func (c *client) dimensions(n *html.Node) {
	if d, ok := get(n, "data-original-dimensions"); ok && !regexp.MustCompile(`^\d+x\d+$`).MatchString(d) {
		c.bad("dimensions %q", d)
	}
}
