package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// html writes the tree. Every block ends with a newline. The last one is removed at the end.
type html struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (html) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindDocument, around("", ""))
	r.Register(ast.KindParagraph, around("<p>", "</p>\n"))
	r.Register(ast.KindTextBlock, around("", ""))
	r.Register(ast.KindBlockquote, around("<blockquote>\n", "</blockquote>\n"))
	r.Register(ast.KindThematicBreak, around("<hr>\n", ""))
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindList, listHTML)
	r.Register(ast.KindListItem, itemHTML)
	r.Register(kindCode, codeHTML)
	r.Register(kindSpoiler, around(`<div class="spoiler-block">`, "</div>\n"))
	r.Register(kindHeader, around(`<div class="spoiler-header">`+"\n", "</div>"))
	r.Register(kindContent, around(`<div class="spoiler-content" aria-hidden="true">`+"\n", "</div>"))
	r.Register(kindTable, around("<table>\n", "</tbody>\n</table>\n"))
	r.Register(kindRow, rowHTML)
	r.Register(kindCell, cellHTML)
	r.Register(kindPreview, previewHTML)
	r.Register(kindEmbed, embedHTML)
	r.Register(kindPlain, plainHTML)
	r.Register(kindStyled, styledHTML)
	r.Register(kindSpan, spanHTML)
	r.Register(kindLink, linkHTML)
	r.Register(kindFormula, formulaHTML)
	r.Register(kindUploadImage, uploadImageHTML)
	r.Register(kindMade, madeHTML)
}

func around(open, end string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		s := end
		if entering {
			s = open
		}
		_, err := w.WriteString(s)
		return ast.WalkContinue, err
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape escapes text in elements; quote escapes attribute values.
func escape(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	return escaper.Replace(s)
}

func quote(s string) string {
	return strings.ReplaceAll(escape(s), `"`, "&quot;")
}

// tag writes an opening tag.
func tag(b *strings.Builder, name string, attrs []attr) {
	b.WriteByte('<')
	b.WriteString(name)
	for _, a := range attrs {
		b.WriteByte(' ')
		b.WriteString(a.key)
		b.WriteString(`="`)
		b.WriteString(quote(a.value))
		b.WriteByte('"')
	}
	b.WriteByte('>')
}

func heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	level := strconv.Itoa(node.(*ast.Heading).Level)
	s := "</h" + level + ">\n"
	if entering {
		s = "<h" + level + ">"
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

func listHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	l := node.(*list)
	name := "ul"
	if l.IsOrdered() {
		name = "ol"
	}
	s := "</" + name + ">\n"
	if entering {
		s = "<" + name
		if l.IsOrdered() && l.Start != 1 {
			s += ` start="` + strconv.Itoa(l.Start) + `"`
		}
		s += ">\n"
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

// itemHTML writes a list item. Text follows the tag directly; blocks begin on a new line.
func itemHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	s := "</li>\n"
	if entering {
		s = "<li>"
		if first := node.FirstChild(); first != nil && first.Kind() != ast.KindTextBlock {
			s = "<li>\n"
		}
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

func codeHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*codeBlock)
	open := `<div class="codehilite"><pre><span></span><code>`
	if n.name != "" {
		open = `<div class="codehilite" data-code-language="` + quote(n.name) + `"><pre><span></span><code>`
	}
	if _, err := w.WriteString(open); err != nil {
		return ast.WalkStop, err
	}
	tokens := n.tokens
	if tokens == nil {
		tokens = []token{{"", n.text}}
	}
	for _, t := range tokens {
		s := escape(t.text)
		if t.class != "" {
			s = `<span class="` + t.class + `">` + s + "</span>"
		}
		if _, err := w.WriteString(s); err != nil {
			return ast.WalkStop, err
		}
	}
	_, err := w.WriteString("\n</code></pre></div>\n")
	return ast.WalkContinue, err
}

func rowHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	header := node.(*row).header
	s := "</tr>\n"
	switch {
	case entering && header:
		s = "<thead>\n<tr>\n"
	case entering:
		s = "<tr>\n"
	case header:
		s = "</tr>\n</thead>\n<tbody>\n"
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

func cellHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	c := node.(*cell)
	s := "</" + c.tag + ">\n"
	if entering {
		s = "<" + c.tag
		if c.align != "" {
			s += ` style="text-align: ` + c.align + `;"`
		}
		s += ">"
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}
