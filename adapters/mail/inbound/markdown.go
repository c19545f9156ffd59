package inbound

import (
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pageText converts HTML to the Markdown of messages, which has no escapes.
func pageText(page io.Reader) string {
	root, complete := parsePage(page)
	simplify(root, false)
	unwrapLines(root)
	mergeTexts(root)
	text, err := markdown(root)
	if err != nil {
		text = []byte(content(root))
	}
	lines := strings.Split(strings.Map(visible, string(text)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	out := strings.TrimSpace(strings.Join(lines, "\n"))
	if !complete {
		out += shortened
	}
	return out
}

// markdown converts a tree. The converter is not shared, because it keeps errors.
func markdown(root *html.Node) ([]byte, error) {
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(
			base.NewBasePlugin(),
			commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false), commonmark.WithHorizontalRule("---")),
			strikethrough.NewStrikethroughPlugin(strikethrough.WithDelimiter("~~")),
			table.NewTablePlugin(
				table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true),
			),
		),
	)
	// The converter writes "&lt;" and "&gt;", which links and code display as such.
	hide, show := strings.NewReplacer("<", string(lessThan), ">", string(greaterThan)), strings.NewReplacer(
		string(lessThan), "<", string(greaterThan), ">")
	c.Register.TextTransformer(func(_ converter.Context, text string) string { return hide.Replace(text) },
		converter.PriorityEarly)
	c.Register.TextTransformer(func(_ converter.Context, text string) string { return show.Replace(text) },
		converter.PriorityLate)
	return c.ConvertNode(root)
}

// lessThan and greaterThan are private characters that stand for "<" and ">" during the conversion.
const (
	lessThan    = '\uE0F1'
	greaterThan = '\uE0F2'
)

// visible removes characters that fill the hidden previews of emails, and makes spaces ordinary.
func visible(r rune) rune {
	switch r {
	case '\u200B', '\u034F', '\u00AD', '\uFEFF', 0:
		return -1
	case '\u00A0', '\u2007', '\u202F':
		return ' '
	}
	return r
}

// simplify prepares the children of n for the conversion. quoted tells whether they are within a list, a quotation or a
// table, where messages cannot contain blocks of code.
func simplify(n *html.Node, quoted bool) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch child.DataAtom {
		case atom.Img:
			replace(child, imageText(child))
		case atom.A:
			simplifyLink(child)
		case atom.Pre:
			if quoted {
				codeLines(child)
			}
		case atom.Table:
			simplify(child, true)
			if !hasColumns(child) {
				layout(child)
			}
			next = child.NextSibling
		case atom.Li, atom.Blockquote, atom.Ul, atom.Ol:
			simplify(child, true)
			unwrapLines(child)
		default:
			simplify(child, quoted)
			if isBlock(child) {
				unwrapLines(child)
			}
		}
		child = next
	}
}

// replace replaces a node by a text, or removes it.
func replace(n *html.Node, text string) {
	if text != "" {
		n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: text}, n)
	}
	n.Parent.RemoveChild(n)
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// fileName matches an alternative text that describes nothing.
var fileName = regexp.MustCompile(`(?i)^(?:\S+\.(?:png|jpe?g|gif|bmp|webp|svg|tiff?)|image|inline image.*|spacer)$`)

// imageText returns the text for an image: what it shows, and a mark if it is a file of the email. Images elsewhere are
// not linked, because loading them reveals who reads the message.
func imageText(n *html.Node) string {
	alt := oneLineText(attribute(n, "alt"))
	ref, isFile := strings.CutPrefix(attribute(n, "src"), "cid:")
	if fileName.MatchString(alt) {
		alt = ""
	}
	if unescaped, err := url.PathUnescape(ref); err == nil {
		ref = unescaped
	}
	if isFile && validRef(ref) {
		return strings.TrimSpace(alt + " " + possibleMark(ref))
	}
	return alt
}

// schemes are those of links that are kept.
var schemes = []string{"http", "https", "ftp", "mailto", "tel"}

// simplifyLink replaces a link by its Markdown, whose text is one line without formatting, or by its text if its
// address is of no use.
func simplifyLink(n *html.Node) {
	text := oneLineText(content(n))
	to, err := url.Parse(strings.TrimSpace(attribute(n, "href")))
	if err != nil || !slices.Contains(schemes, strings.ToLower(to.Scheme)) || len(attribute(n, "href")) > maxHref ||
		text == "" || strings.ContainsRune(text, beginMark) {
		replace(n, text)
		return
	}
	href := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", `"`, "%22", "|", "%7C").
		Replace(to.String())
	if bare := strings.TrimPrefix(href, "mailto:"); text == bare || text == href || text+"/" == href {
		replace(n, bare)
		return
	}
	replace(n, "["+strings.NewReplacer("[", "(", "]", ")").Replace(text)+"]("+href+")")
}

const maxHref = 4000

// content returns the text within a node, with spaces between blocks.
func content(n *html.Node) string {
	var w strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			w.WriteString(n.Data)
		case n.DataAtom == atom.Img:
			w.WriteString(imageText(n))
		case n.DataAtom == atom.Br || isBlock(n):
			w.WriteByte(' ')
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
		if isBlock(n) {
			w.WriteByte(' ')
		}
	}
	walk(n)
	return w.String()
}

// oneLineText returns a text with single spaces.
func oneLineText(text string) string {
	return strings.Join(strings.Fields(strings.Map(visible, text)), " ")
}

// codeLines replaces a block of code by a line of code for each of its lines.
func codeLines(n *html.Node) {
	n.Data, n.DataAtom = "div", atom.Div
	var w strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			w.WriteString(n.Data)
		} else if n.DataAtom == atom.Br {
			w.WriteByte('\n')
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(n)
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	for line := range strings.SplitSeq(strings.Trim(w.String(), "\n"), "\n") {
		if n.FirstChild != nil {
			n.AppendChild(lineBreak())
		}
		if strings.TrimSpace(line) != "" {
			code := &html.Node{Type: html.ElementNode, Data: "code", DataAtom: atom.Code}
			code.AppendChild(&html.Node{Type: html.TextNode, Data: line})
			n.AppendChild(code)
		}
	}
}
