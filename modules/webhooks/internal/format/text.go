package format

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/message"
)

// maxQuote is the maximum length of a quotation in code points.
const maxQuote = 3000

// line joins a text from a payload into one line, without control characters.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// truncate truncates a text to n code points.
func truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// title joins a text into one line of at most 200 code points.
func title(text string) string { return truncate(line(text), 200) }

// link returns a Markdown link, or only the text if the URL is invalid.
func link(text, address string) string {
	text = strings.NewReplacer("[", "(", "]", ")").Replace(title(text))
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return text
	}
	if text == "" {
		text = u.Host
	}
	return "[" + text + "](" + inLink.Replace(u.String()) + ")"
}

// inLink escapes the characters of a URL that would end a link or be Markdown in it.
var inLink = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "*", "%2A", "`", "%60", "[", "%5B", "]", "%5D",
	"$$", "%24%24", "~~", "%7E%7E")

// code formats a text as inline code.
func code(text string) string { return "`" + strings.ReplaceAll(line(text), "`", "'") + "`" }

// fence encloses a text in a fenced block that it cannot end or extend.
func fence(kind, text string) string {
	return message.Enclose(kind, strings.Trim(text, "\n"), message.MaxLength)
}

// quote returns a quote block, or "" for an empty text.
func quote(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n\n" + fence("quote", truncate(text, maxQuote))
}

func plural(n int, one string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// list formats up to limit lines as a bulleted list, followed by the number of lines left out.
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

// fieldValue formats the former or new value of a changed field.
func fieldValue(text string) string {
	if text == "" {
		return "none"
	}
	return code(truncate(text, 100))
}
