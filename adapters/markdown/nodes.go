package markdown

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// span is an element with plain text in it: a mention, a channel link, an emoji.
type span struct {
	ast.BaseInline
	tag   string
	attrs []attr
	text  string
	em    string // emphasised text after text
}

type attr struct{ key, value string }

var kindSpan = ast.NewNodeKind("Span")

func (*span) Kind() ast.NodeKind { return kindSpan }

func (n *span) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// nodes renders our own nodes, and those of goldmark's that look different in our dialect.
type nodes struct{}

func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindSpan, renderSpan)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindCodeBlock, renderCode)
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindImage, renderLink) // pictures of elsewhere are links; we fetch nothing on behalf of a reader
}

func renderSpan(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*span)
	var b bytes.Buffer
	b.WriteString("<" + n.tag)
	for _, a := range n.attrs {
		b.WriteString(" " + a.key + `="`)
		b.Write(util.EscapeHTML([]byte(a.value)))
		b.WriteByte('"')
	}
	b.WriteByte('>')
	b.Write(util.EscapeHTML([]byte(n.text)))
	if n.em != "" {
		b.WriteString("<em>")
		b.Write(util.EscapeHTML([]byte(n.em)))
		b.WriteString("</em>")
	}
	b.WriteString("</" + n.tag + ">")
	_, err := w.Write(b.Bytes())
	return ast.WalkSkipChildren, err
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var b bytes.Buffer
	b.WriteString(`<div class="codehilite"`)
	if f, ok := node.(*ast.FencedCodeBlock); ok {
		if lang := f.Language(source); len(lang) > 0 {
			b.WriteString(` data-code-language="`)
			b.Write(util.EscapeHTML(bytes.ToLower(lang)))
			b.WriteByte('"')
		}
	}
	b.WriteString("><pre><span></span><code>")
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		b.Write(util.EscapeHTML(bytes.TrimRight(line.Value(source), " \t\r\n")))
		b.WriteByte('\n')
	}
	b.WriteString("</code></pre></div>\n")
	_, err := w.Write(b.Bytes())
	return ast.WalkSkipChildren, err
}

// schemes are those that a link may have (markdown.md §8); any other target is left out, and with it the link.
var schemes = strings.Fields("http https ftp file bitcoin geo im irc ircs magnet mailto matrix mms news nntp openpgp4fpr sip sms smsto ssh tel urn webcal wtai xmpp")

// target makes a link's target safe; "" means that there is none.
func target(raw string) string {
	raw = strings.ReplaceAll(strings.TrimSpace(raw), " ", "%20")
	u, err := url.Parse(raw)
	switch {
	case err != nil || raw == "":
		return ""
	case u.Scheme != "":
		if !slices.Contains(schemes, strings.ToLower(u.Scheme)) {
			return ""
		}
		return raw
	case strings.HasPrefix(raw, "/"), strings.HasPrefix(raw, "#"):
		return raw
	case u.Host == "" && strings.Contains(u.Path, "@"):
		return "mailto:" + raw
	}
	return "http://" + raw
}

func renderLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	var dest, title []byte
	switch n := node.(type) {
	case *ast.Link:
		dest, title = n.Destination, n.Title
	case *ast.Image:
		dest, title = n.Destination, n.Title
	}
	href := target(string(util.UnescapePunctuations(dest)))
	if href == "" {
		return ast.WalkContinue, nil // its text alone
	}
	if !entering {
		_, err := w.WriteString("</a>")
		return ast.WalkContinue, err
	}
	var b bytes.Buffer
	b.WriteString(`<a href="`)
	b.Write(util.EscapeHTML([]byte(href)))
	b.WriteByte('"')
	if len(title) > 0 {
		b.WriteString(` title="`)
		b.Write(util.EscapeHTML(title))
		b.WriteByte('"')
	}
	b.WriteByte('>')
	if node.FirstChild() == nil {
		b.Write(util.EscapeHTML([]byte(href)))
	}
	_, err := w.Write(b.Bytes())
	return ast.WalkContinue, err
}
