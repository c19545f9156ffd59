package importing

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// CleanText removes from a text of the source what no text here contains: NUL, invalid UTF-8 such as lone surrogates,
// and carriage returns of line ends. Therefore no text of the source contains a reference.
func CleanText(text string) string {
	text = strings.ToValidUTF8(text, "")
	return newlines.Replace(text)
}

// CleanTextKeepingReferences is CleanText for a text of a source that may contain references.
func CleanTextKeepingReferences(text string) string {
	if !strings.Contains(text, mark) {
		return CleanText(text)
	}
	parts := strings.Split(text, mark)
	for i := range parts {
		parts[i] = CleanText(parts[i])
	}
	if len(parts)%2 == 0 { // half of a reference
		return CleanText(text)
	}
	return strings.Join(parts, mark)
}

var newlines = strings.NewReplacer("\x00", "", "\r\n", "\n", "\r", "\n")

// Split splits a text into parts of at most limit code points: at empty lines, else at line ends, else between words.
// References are not split. The result of an empty text is nil.
func Split(text string, limit int) []string {
	text = strings.TrimLeft(strings.TrimRightFunc(text, unicode.IsSpace), "\n")
	var parts []string
	for text != "" {
		end := cut(text, limit)
		if part := strings.TrimRightFunc(text[:end], unicode.IsSpace); part != "" {
			parts = append(parts, part)
		}
		text = strings.TrimLeft(text[end:], "\n")
	}
	return parts
}

// SplitMessage splits a text into the contents of messages.
func SplitMessage(text string) []string { return Split(text, message.MaxLength) }

// cut returns the length in bytes of the first part of a text.
func cut(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	end, n := 0, 0
	for i := range text {
		if n == limit {
			end = i
			break
		}
		n++
	}
	if end == 0 {
		return len(text)
	}
	end = beforeReference(text, end)
	least := end / 2 // rather a long part than one that ends at the nearest paragraph
	for _, at := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(text[:end], at); i > least {
			return beforeReference(text, i+len(at))
		}
	}
	return end
}

// beforeReference moves an end that is within a reference to its beginning, unless the text begins with it.
func beforeReference(text string, end int) int {
	if strings.Count(text[:end], mark)%2 == 1 {
		if i := strings.LastIndex(text[:end], mark); i > 0 {
			return i
		}
		if i := strings.Index(text[end:], mark); i >= 0 {
			return end + i + len(mark)
		}
	}
	return end
}

// Shorten cuts a text at limit code points, the last of which is then an ellipsis.
func Shorten(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	if most := utf8.UTFMax * (limit + 1); len(text) > most {
		text = text[:most] // texts of archives can have many MiB
	}
	return strings.TrimRightFunc(string([]rune(text)[:limit-1]), unicode.IsSpace) + "…"
}

// TopicName returns a valid name of a topic for a text, of which it uses the first line that is not blank; "" if there
// is none.
func TopicName(text string) string {
	for line := range strings.SplitSeq(CleanText(text), "\n") {
		line = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Noncharacter_Code_Point, r) {
				return ' '
			}
			return r
		}, line)
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			return Shorten(line, topic.MaxLength)
		}
	}
	return ""
}

// Describe joins the purpose and the topic of a channel to its description. rest is what is cut off because there are
// more than limit code points; "": nothing.
func Describe(limit int, parts ...string) (text, rest string) {
	var lines []string
	for _, p := range parts {
		if p = strings.TrimSpace(CleanText(p)); p != "" {
			lines = append(lines, strings.ReplaceAll(p, "\n", " "))
		}
	}
	text = strings.Join(lines, "\n")
	short := Shorten(text, limit)
	if short == text {
		return text, ""
	}
	return short, strings.TrimSpace(text[len(strings.TrimSuffix(short, "…")):])
}

// CleanName returns a name in which forbidden characters are replaced by spaces, or "" if nothing is left of it.
func CleanName(name string, limit int, forbidden string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return -1
		case strings.ContainsRune(forbidden, r), user.FirstInvisible(string(r)) > 0:
			return ' '
		}
		return r
	}, CleanText(name))
	name = Shorten(strings.Join(strings.Fields(name), " "), limit)
	if !strings.ContainsFunc(name, user.IsVisible) {
		return ""
	}
	return name
}
