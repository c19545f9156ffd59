package format

import (
	"html"
	"strings"
)

// plainText returns the text of HTML. Ends of blocks become ends of lines.
func plainText(text string) string {
	var b strings.Builder
	for text != "" {
		before, tag, found := strings.Cut(text, "<")
		b.WriteString(before)
		if !found {
			break
		}
		if tag == "" || !strings.ContainsAny(tag[:1], "/!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			b.WriteByte('<') // not a tag
			text = tag
			continue
		}
		tag, text, _ = strings.Cut(tag, ">")
		switch name, _, _ := strings.Cut(strings.ToLower(tag), " "); strings.TrimSuffix(name, "/") {
		case "br", "/p", "/div", "/li", "/tr", "/blockquote", "/pre", "/h1", "/h2", "/h3", "/h4":
			b.WriteByte('\n')
		case "script", "style":
			_, text, _ = strings.Cut(text, "</"+name+">")
		}
	}
	return strings.TrimSpace(html.UnescapeString(b.String()))
}
