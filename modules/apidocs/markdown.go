package apidocs

import (
	"html/template"
	"regexp"
	"strings"
)

// markdown renders the text of a kit.Guide.
func markdown(text string) template.HTML {
	var b strings.Builder
	for block := range blocks(text) {
		switch {
		case fenceOf(block) != "":
			_, code, _ := strings.Cut(strings.TrimSuffix(block, fenceOf(block)), "\n")
			code = template.HTMLEscapeString(strings.TrimSuffix(code, "\n"))
			b.WriteString(`<pre tabindex="0"><code>` + code + "</code></pre>\n")
		case strings.HasPrefix(block, "* "):
			b.WriteString("<ul>")
			for item := range strings.SplitSeq(strings.TrimPrefix(block, "* "), "\n* ") {
				b.WriteString("<li>" + inline(item) + "</li>")
			}
			b.WriteString("</ul>\n")
		default:
			b.WriteString("<p>" + inline(block) + "</p>\n")
		}
	}
	return template.HTML(b.String()) // #nosec G203 -- everything is escaped
}

// fenceOf returns the backticks, three or more, with which fenced code begins; "": text is none.
func fenceOf(text string) string {
	marks := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(marks) < 3 {
		return ""
	}
	return marks
}

// blocks yields what empty lines separate, and fenced code as a whole.
func blocks(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for text = strings.Trim(text, "\n"); text != ""; text = strings.TrimLeft(text, "\n") {
			end, fence := "\n\n", fenceOf(text)
			if fence != "" {
				end = "\n" + fence
			}
			block, rest, found := strings.Cut(text, end)
			if found && fence != "" {
				block += end
			}
			if !yield(block) {
				return
			}
			text = rest
		}
	}
}

var (
	spans = regexp.MustCompile("`[^`]+`|\\*\\*[^*]+\\*\\*|\\[[^\\]]+\\]\\(https?://[^)\\s]+\\)")
	link  = regexp.MustCompile(`^\[([^\]]+)\]\(([^)]+)\)$`)
)

// inline renders code, strong text and links.
func inline(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range spans.FindAllStringIndex(text, -1) {
		b.WriteString(template.HTMLEscapeString(text[at:m[0]]))
		span := text[m[0]:m[1]]
		switch span[0] {
		case '`':
			b.WriteString("<code>" + template.HTMLEscapeString(strings.Trim(span, "`")) + "</code>")
		case '*':
			b.WriteString("<strong>" + template.HTMLEscapeString(strings.Trim(span, "*")) + "</strong>")
		default:
			l := link.FindStringSubmatch(span)
			b.WriteString(`<a href="` + template.HTMLEscapeString(l[2]) + `">` + template.HTMLEscapeString(l[1]) + "</a>")
		}
		at = m[1]
	}
	return b.String() + template.HTMLEscapeString(text[at:])
}
