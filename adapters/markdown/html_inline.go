package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

func plainHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*plain)
	s := n.text
	if !n.entity {
		s = escape(s)
	}
	if !n.raw && strings.IndexByte(s, '\n') >= 0 {
		s = strings.ReplaceAll(s, "\n", "<br>\n")
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

func styledHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	s := "</" + node.(*styled).tag + ">"
	if entering {
		s = "<" + node.(*styled).tag + ">"
	}
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}

func spanHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var b strings.Builder
	node.(*span).write(&b)
	_, err := w.WriteString(b.String())
	return ast.WalkContinue, err
}

func (n *span) write(b *strings.Builder) {
	tag(b, n.tag, n.attrs)
	if n.void {
		return
	}
	b.WriteString(escape(n.text))
	if n.em != "" {
		b.WriteString("<em>" + escape(n.em) + "</em>")
	}
	b.WriteString(escape(n.after))
	b.WriteString("</" + n.tag + ">")
}

func linkHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := w.WriteString(node.(*link).html())
	return ast.WalkContinue, err
}

func (n *link) html() string {
	attrs := []attr{{"href", n.href}}
	if n.title != "" {
		attrs = append(attrs, attr{"title", n.title})
	}
	var b strings.Builder
	tag(&b, "a", attrs)
	for text := n.text; text != ""; { // entities are kept, everything else is escaped
		size := entity(text)
		if n.plain {
			b.WriteString(escape(text))
			break
		}
		if size > 0 {
			b.WriteString(text[:size])
		} else if size = strings.IndexByte(text[1:], '&') + 1; size == 0 {
			size = len(text)
			b.WriteString(escape(text))
		} else {
			b.WriteString(escape(text[:size]))
		}
		text = text[size:]
	}
	b.WriteString("</a>")
	return b.String()
}

func formulaHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*formula)
	if n.renderedHTML != "" {
		_, err := w.WriteString(n.renderedHTML)
		return ast.WalkContinue, err
	}
	tex := escape(n.tex)
	if n.wrong {
		if !n.display {
			tex = "$$" + tex + "$$"
		}
		_, err := w.WriteString(`<span class="tex-error">` + tex + "</span>")
		return ast.WalkContinue, err
	}
	var b strings.Builder
	block := ""
	if n.display {
		b.WriteString(`<span class="katex-display">`)
		block = ` display="block"`
	}
	b.WriteString(`<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"` +
		block +
		"><semantics><mrow><mtext>" + tex +
		`</mtext></mrow><annotation encoding="application/x-tex">` + tex +
		`</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">` + tex + "</span></span>")
	if n.display {
		b.WriteString("</span>")
	}
	_, err := w.WriteString(b.String())
	return ast.WalkContinue, err
}

func previewHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*preview)
	var b strings.Builder
	b.WriteString(`<div class="` + n.class + `">`)
	tag(&b, "a", n.link)
	n.inner.write(&b)
	b.WriteString("</a></div>\n")
	_, err := w.WriteString(b.String())
	return ast.WalkContinue, err
}

func uploadImageHTML(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var b strings.Builder
	node.(*uploadImage).shown.write(&b)
	_, err := w.WriteString(b.String())
	return ast.WalkContinue, err
}
