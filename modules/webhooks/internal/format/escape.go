package format

import (
	"strings"
	"unicode"
)

// gap is an invisible character that separates two characters which together would be Markdown. Messages have no
// backslash escapes.
const gap = "\u200b"

// maxInserted is the maximum length of a value that a template inserts into a line, in code points.
const maxInserted = 500

// escape returns a value from a payload as text that is not Markdown: no mention, link, emphasis, code or block can
// begin or end in it. Addresses stay links. The text is inserted at the beginning of a line if lineStart is true, and
// joined into one line unless lines is true.
func escape(text string, lineStart, lines bool) string {
	if !lines {
		return escapeLine(truncate(line(text), maxInserted), lineStart)
	}
	all := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	for i, l := range all {
		l = strings.TrimRight(l, " \t\r")
		if body := strings.TrimLeft(l, " \t"); len(l)-len(body) > 3 { // would be code
			l = "   " + body
		}
		all[i] = escapeLine(l, lineStart || i > 0)
	}
	return strings.Join(all, "\n")
}

func escapeLine(text string, lineStart bool) string {
	var b strings.Builder
	if lineStart && startsBlock(strings.TrimLeft(text, " ")) {
		b.WriteString(gap)
	}
	runes := []rune(text)
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return 0
		}
		return runes[i]
	}
	for i, r := range runes {
		next := at(i + 1)
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r) && r > 0x2000:
			b.WriteByte(' ')
		case r == '*' && (at(i-1) != ' ' || next != ' '):
			b.WriteRune('∗')
		case r == '`':
			b.WriteByte('\'')
		default:
			b.WriteRune(r)
			if r == ']' && (next == '(' || next == 0) || r == '~' && (next == '~' || next == 0) ||
				r == '$' && (next == '$' || next == 0) || r == '<' && next == 't' || r == '!' && unicode.IsLetter(next) {
				b.WriteString(gap)
			}
		}
	}
	return b.String()
}

// startsBlock reports whether a line might begin a heading, list, quotation, table, code block or command.
func startsBlock(text string) bool {
	if text == "" {
		return false
	}
	if strings.ContainsRune("#>-+*/|=~`", rune(text[0])) {
		return true
	}
	digits := strings.TrimLeft(text, "0123456789")
	return len(digits) < len(text) && (strings.HasPrefix(digits, ".") || strings.HasPrefix(digits, ")"))
}
