package markdown_test

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

func (c *client) inlines(ns []*html.Node) {
	for _, n := range ns {
		c.inline(n)
	}
}

func (c *client) inline(n *html.Node) {
	if n.Type == html.TextNode {
		return
	}
	switch n.Data {
	case "br":
		c.only(n)
	case "strong", "em", "del":
		c.only(n)
		c.inlines(children(n))
	case "code":
		c.only(n)
		c.text(n)
	case "a":
		c.only(n, "href", "title", "class", "data-stream-id")
		if _, ok := get(n, "href"); !ok || !slices.Contains([]string{"", "stream", "stream-topic", "message-link"},
			class(n)) {
			c.bad("a link of class %q, or without a target", class(n))
		}
		c.inlines(children(n))
	case "time":
		c.only(n, "datetime")
		if at, _ := get(n, "datetime"); !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$`).MatchString(at) {
			c.bad("a time %q", at)
		}
		c.text(n)
	case "img":
		c.only(n, "alt", "class", "src", "title", "data-original-content-type", "data-original-dimensions",
			"data-original-src", "data-animated", "data-transcoded-image")
		_, alt := get(n, "alt")
		_, src := get(n, "src")
		if !alt || !src || !slices.Contains([]string{"emoji", "inline-image", "inline-image image-loading-placeholder"},
			class(n)) {
			c.bad("an image of class %q", class(n))
		}
		c.dimensions(n)
	case "audio":
		c.only(n, "controls", "preload", "src", "title")
	case "span":
		c.span(n)
	default:
		c.bad("%s in text", n.Data)
	}
}

var emojiClass = regexp.MustCompile(`^emoji emoji-[0-9a-f]{4,6}(-[0-9a-f]{4,6})*$`)

func (c *client) span(n *html.Node) {
	names := strings.Fields(class(n))
	switch {
	case class(n) == "katex":
		c.formula([]*html.Node{n}, false)
		return
	case emojiClass.MatchString(class(n)):
		c.only(n, "class", "aria-label", "role", "title")
	case len(names) > 0 && slices.Contains([]string{"user-mention", "user-group-mention", "topic-mention"}, names[0]):
		c.only(n, "class", "data-user-id", "data-user-group-id")
		for _, name := range names[1:] {
			if name != "silent" && (name != "channel-wildcard-mention" || names[0] != "user-mention") {
				c.bad("a mention of class %q", class(n))
			}
		}
		if id, _ := get(n, "data-user-group-id"); names[0] == "user-group-mention" &&
			!regexp.MustCompile(`^\d+$`).MatchString(id) {
			c.bad("a group with the id %q", id)
		}
	default:
		c.bad("a span of class %q", class(n))
	}
	c.text(n)
}

func (c *client) text(n *html.Node) {
	for _, child := range children(n) {
		if child.Type != html.TextNode {
			c.bad("%s in %s", child.Data, n.Data)
		}
	}
}

// formula checks that ns is a katex element with two parts, and that the first part's semantics end with the source.
func (c *client) formula(ns []*html.Node, display bool) {
	if len(ns) != 1 || class(ns[0]) != "katex" {
		c.bad("a formula of other parts")
		return
	}
	parts := children(ns[0])
	if len(parts) != 2 || class(parts[0]) != "katex-mathml" || class(parts[1]) != "katex-html" ||
		parts[1].FirstChild == nil {
		c.bad("a formula of other parts")
		return
	}
	math := children(parts[0])
	if len(math) != 1 || math[0].Data != "math" {
		c.bad("a formula without math")
		return
	}
	if d, _ := get(math[0], "display"); (d == "block") != display {
		c.bad("a formula displayed as %q", d)
	}
	semantics := math[0].FirstChild
	if semantics == nil || semantics.Data != "semantics" || semantics.NextSibling != nil || semantics.LastChild == nil ||
		semantics.LastChild.Data != "annotation" {
		c.bad("a formula without its source")
	}
}
