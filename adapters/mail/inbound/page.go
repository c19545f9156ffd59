package inbound

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits per HTML page. The tree that parsePage returns has no more nodes, and no deeper ones, whatever the page is.
const (
	maxNodes   = 20_000 // texts and tags
	maxNesting = 100    // elements that are nested more deeply become part of those around them
	maxQuotes  = 5      // nesting of quotations; further ones are not marked
	maxLists   = 6      // nesting of lists; further ones are not marked
	maxStyle   = 2000
	maxAttrs   = 1 << 20 // bytes of the attributes that are kept
	maxColumns = 20      // in tables with columns
)

// hiddenTags contain content that is not displayed, or not part of an email's text.
var hiddenTags = []atom.Atom{
	atom.Head, atom.Style, atom.Script, atom.Title, atom.Template, atom.Noscript, atom.Svg, atom.Textarea, atom.Select,
	atom.Iframe, atom.Object, atom.Math,
}

// headTags are the elements in the head of a page.
var headTags = []atom.Atom{
	atom.Meta, atom.Link, atom.Title, atom.Style, atom.Script, atom.Base, atom.Noscript, atom.Template, atom.Head,
	atom.Html,
}

// voidTags have no content and no end tag.
var voidTags = []atom.Atom{
	atom.Br, atom.Hr, atom.Img, atom.Wbr, atom.Input, atom.Meta, atom.Link, atom.Base, atom.Col, atom.Area, atom.Embed,
	atom.Source, atom.Track, atom.Param,
}

// blockTags begin and end lines.
var blockTags = []atom.Atom{
	atom.P, atom.Div, atom.Table, atom.Caption, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Ul,
	atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Pre, atom.Hr, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4,
	atom.H5, atom.H6,
}

// lineTags are blocks of which only the beginning and the end matter.
var lineTags = []atom.Atom{
	atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Address, atom.Center,
	atom.Form, atom.Fieldset, atom.Figure, atom.Figcaption, atom.Details, atom.Summary, atom.Dt, atom.Dd, atom.Div,
}

// element is an open element. Its name is that of the tag, which the node does not always keep.
type element struct {
	name string
	node *html.Node
}

var tableTags = []string{"table", "thead", "tbody", "tfoot", "tr", "td", "th"}

// builder builds the tree of a page. Unlike the parser of the library, which imitates browsers, it adds at most one
// node per tag: elements that are not closed are not repeated in those that follow.
type builder struct {
	root  *html.Node
	open  []element // around the current position; the first is the root
	nodes int       // texts, tags and lines of code
	bytes int       // of the texts
	attrs int       // bytes of the attributes
}

// parsePage returns the tree of a page without what is hidden, and whether it is complete. The limits keep the tree
// small: nesting costs nothing.
func parsePage(page io.Reader) (root *html.Node, complete bool) {
	root = &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	b := &builder{root: root, open: []element{{"body", root}}}
	t := html.NewTokenizer(page)
	for b.nodes < maxNodes && b.bytes < maxText && b.attrs < maxAttrs {
		switch kind := t.Next(); kind {
		case html.ErrorToken:
			return root, true
		case html.TextToken:
			b.text(string(t.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			b.start(t, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := t.TagName()
			b.end(string(name))
		}
	}
	return root, false
}

func (b *builder) top() *html.Node { return b.open[len(b.open)-1].node }

func (b *builder) add(n *html.Node) { b.top().AppendChild(n) }

func (b *builder) text(text string) {
	if strings.TrimSpace(text) != "" && b.top().DataAtom == atom.Head {
		b.end("head")
	}
	if room := maxText - b.bytes; len(text) > room {
		text = text[:room]
	}
	b.nodes++
	if b.inside(atom.Pre) && b.depth(atom.Table, atom.Blockquote, atom.Ul, atom.Ol, atom.Li) > 0 { // see codeLines
		lines := strings.SplitAfter(text, "\n")
		text = strings.Join(lines[:min(len(lines), max(1, maxNodes-b.nodes))], "")
		b.nodes += len(lines) - 1
	}
	b.bytes += len(text)
	b.add(&html.Node{Type: html.TextNode, Data: text})
}

// inside reports whether an element is open.
func (b *builder) inside(name atom.Atom) bool { return b.depth(name) > 0 }

// depth returns the number of open elements with one of the names.
func (b *builder) depth(names ...atom.Atom) int {
	n := 0
	for _, e := range b.open {
		if slices.Contains(names, e.node.DataAtom) {
			n++
		}
	}
	return n
}

// start begins an element.
func (b *builder) start(t *html.Tokenizer, selfClosing bool) {
	b.nodes++
	raw, more := t.TagName()
	name := string(raw)
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup(raw)}
	var s style
	for more {
		var key, value []byte
		key, value, more = t.TagAttr()
		s.read(n, string(key), string(value))
	}
	for _, a := range n.Attr {
		b.attrs += len(a.Val)
	}
	if b.attrs > maxAttrs {
		return
	}
	isHidden := slices.Contains(hiddenTags, n.DataAtom)
	switch {
	case n.DataAtom == atom.Body:
		b.open = b.open[:1]
		return
	case n.DataAtom == atom.Html || selfClosing && (isHidden || n.DataAtom == 0):
		return
	case !slices.Contains(headTags, n.DataAtom) && n.DataAtom != 0 && b.inside(atom.Head):
		b.end("head")
	}
	b.closeImplied(n.DataAtom)
	if slices.Contains(voidTags, n.DataAtom) {
		if !s.hidden {
			b.add(n)
		}
		return
	}
	if s.quotesRest && len(b.open) < maxNesting {
		b.push("", element{node: &html.Node{Type: html.ElementNode, Data: "blockquote", DataAtom: atom.Blockquote}})
	}
	if len(b.open) >= maxNesting {
		return
	}
	s.rename(b, n)
	if isHidden || s.hidden {
		b.open = append(b.open, element{name, n}) // not part of the tree
		return
	}
	b.push(name, element{node: n})
}

func (b *builder) push(name string, e element) {
	b.add(e.node)
	b.open = append(b.open, element{name, e.node})
}

// end ends the innermost element of that name. It does not leave the cell of a table unless the tag is one of a table.
func (b *builder) end(name string) {
	inTable := slices.Contains(tableTags, name)
	for i := len(b.open) - 1; i > 0; i-- {
		switch e := b.open[i]; {
		case e.name == name:
			b.open = b.open[:i]
			return
		case !inTable && (e.name == "td" || e.name == "th"):
			return
		}
	}
}

// closeImplied ends the elements that a tag ends without an end tag of their own.
func (b *builder) closeImplied(tag atom.Atom) {
	closeUp := func(names, until []string) {
		for i := len(b.open) - 1; i > 0; i-- {
			switch name := b.open[i].name; {
			case slices.Contains(names, name):
				b.open = b.open[:i]
				return
			case slices.Contains(until, name):
				return
			}
		}
	}
	cells := []string{"td", "th"}
	switch tag {
	case atom.Li:
		closeUp([]string{"li"}, []string{"ul", "ol", "td", "th"})
	case atom.Dt, atom.Dd:
		closeUp([]string{"dt", "dd"}, []string{"dl", "td", "th"})
	case atom.Td, atom.Th:
		closeUp(cells, []string{"table"})
	case atom.Tr:
		closeUp([]string{"tr"}, []string{"table"})
	case atom.Thead, atom.Tbody, atom.Tfoot:
		closeUp([]string{"thead", "tbody", "tfoot"}, []string{"table"})
	case atom.A:
		closeUp([]string{"a"}, cells)
	}
	if slices.Contains(blockTags, tag) || slices.Contains(lineTags, tag) {
		for i := len(b.open) - 1; i > 0; i-- {
			if b.open[i].name == "p" {
				b.open = b.open[:i]
				return
			}
			if a := atom.Lookup([]byte(b.open[i].name)); slices.Contains(blockTags, a) || slices.Contains(lineTags, a) {
				return
			}
		}
	}
}

// style is what the attributes of an element mean.
type style struct {
	hidden, isLine, presentation bool
	quotes                       bool // its content is a quoted email
	quotesRest                   bool // a quoted email follows
}

// read reads an attribute, and keeps those that the conversion needs.
func (s *style) read(n *html.Node, key, value string) {
	switch key {
	case "href", "alt", "src", "start", "align", "colspan":
		isFile := strings.HasPrefix(value, "cid:") // images elsewhere, or within the page, are not shown
		if key == "alt" || len(value) <= maxHref && (key != "src" || isFile) {
			s.keep(n, key, value)
		}
	case "hidden":
		s.hidden = true
	case "role":
		s.presentation = value == "presentation" || value == "none"
	case "id":
		s.quotesRest = s.quotesRest || strings.HasSuffix(value, "divRplyFwdMsg")
		s.quotes = s.quotes || strings.HasSuffix(value, "mail-editor-reference-message-container")
	case "class":
		s.isLine = s.isLine || strings.HasPrefix(value, "Mso") || strings.Contains(value, "elementToProof")
		s.quotes = s.quotes || strings.Contains(value, "yahoo_quoted") ||
			strings.Contains(value, "ms-outlook-mobile-reference-message")
		for word := range strings.FieldsSeq(value) {
			if lang, ok := strings.CutPrefix(word, "language-"); ok && codeLanguage(lang) {
				s.keep(n, key, word)
				return
			}
		}
	case "style":
		css := strings.ToLower(strings.ReplaceAll(value[:min(len(value), maxStyle)], " ", ""))
		s.hidden = s.hidden || strings.Contains(css, "display:none") || strings.Contains(css, "mso-hide:all") ||
			strings.Contains(css, "visibility:hidden")
		s.isLine = s.isLine || noMargin.MatchString(css) ||
			strings.Contains(css, "margin-top:0") && strings.Contains(css, "margin-bottom:0")
	}
}

// keep adds an attribute, unless the element has it already.
func (*style) keep(n *html.Node, key, value string) {
	if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key }) {
		n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
	}
}

// noMargin matches the style of paragraphs that are lines.
var noMargin = regexp.MustCompile(`(?:^|;)margin:(?:0(?:px|pt|in|cm|em)?){1,4}(?:;|$)`)

// codeLanguage reports whether a word is a language of code, and not a word with another meaning in messages.
func codeLanguage(word string) bool {
	switch strings.ToLower(word) {
	case "", "quote", "quoted", "spoiler", "math":
		return false
	}
	return len(word) < 30 && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_+-.#", r)
	})
}

// rename gives an element the name under which it is converted.
func (s *style) rename(b *builder, n *html.Node) {
	to := n.DataAtom
	switch {
	case s.quotes:
		to = atom.Blockquote
	case n.DataAtom == atom.P && s.isLine || slices.Contains(lineTags, n.DataAtom):
		to = atom.Div
	case n.DataAtom == 0: // an unknown element
		to = atom.Span
	}
	switch to {
	case atom.Blockquote:
		if b.depth(atom.Blockquote) >= maxQuotes {
			to = atom.Div
		}
	case atom.Ul, atom.Ol:
		if b.depth(atom.Ul, atom.Ol) >= maxLists {
			to = atom.Div
		}
	case atom.Table:
		if s.presentation {
			n.Attr = append(n.Attr, html.Attribute{Key: "role", Val: "presentation"})
		}
	}
	n.DataAtom, n.Data = to, to.String()
}
