package format

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxQuote is how many code points of a foreign text are quoted.
const maxQuote = 3000

// line makes one line of a text from a payload.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// cut shortens a text to n code points.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// title is a line that fits into a sentence.
func title(text string) string { return cut(line(text), 200) }

// link makes a Markdown link, or the text alone if the address is none.
func link(text, address string) string {
	text = strings.NewReplacer("[", "(", "]", ")").Replace(title(text))
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return text
	}
	if text == "" {
		text = u.Host
	}
	return "[" + text + "](" + strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(u.String()) + ")"
}

// code makes inline code.
func code(text string) string { return "`" + strings.ReplaceAll(line(text), "`", "'") + "`" }

// fence puts a text between fences that it does not contain.
func fence(kind, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + kind + "\n" + strings.Trim(text, "\n") + "\n" + marks
}

// quote makes a quote block of a foreign text; "" of none.
func quote(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n\n" + fence("quote", cut(text, maxQuote))
}

// or returns the first text that is not empty.
func or(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func plural(n int, one string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// list joins lines of a bulleted list.
func list(lines []string, limit int) string {
	var b strings.Builder
	for i, l := range lines {
		if i == limit {
			fmt.Fprintf(&b, "\n* and %d more", len(lines)-limit)
			break
		}
		b.WriteString("\n* " + l)
	}
	return b.String()
}
