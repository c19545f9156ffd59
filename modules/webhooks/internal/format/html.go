package format

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns the text of a piece of HTML, with a line for each block. Text that is not HTML stays as it is.
func plainText(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	var b strings.Builder
	hidden := 0
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			if hidden == 0 {
				b.Write(tokens.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			switch name, _ := tokens.TagName(); atom.Lookup(name) {
			case atom.Script, atom.Style:
				hidden++
			case atom.Br, atom.P, atom.Div, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4, atom.Blockquote, atom.Pre:
				b.WriteByte('\n')
			case atom.Li:
				b.WriteString("\n- ")
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); hidden > 0 && (atom.Lookup(name) == atom.Script || atom.Lookup(name) == atom.Style) {
				hidden--
			}
		}
	}
}
