package markdown

import (
	"strings"
	"unicode/utf8"
)

// lines prepares a text and cuts it: tabs are filled up to the next column of four, lines of blanks alone are empty,
// and the two characters that stand around placeholders (inline.go) are dropped.
func lines(text string) []string {
	if strings.ContainsAny(text, "\r\x00\x02\x03") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd", "\x02", "", "\x03", "").Replace(text)
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	out := strings.Split(text, "\n")
	for i, l := range out {
		if strings.IndexByte(l, '\t') >= 0 {
			l = expand(l)
		}
		if strings.TrimLeft(l, " ") == "" {
			l = ""
		}
		out[i] = l
	}
	return out
}

// expand replaces tabs by blanks up to the next multiple of four columns.
func expand(line string) string {
	var b strings.Builder
	column := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			column++
			continue
		}
		n := 4 - column%4
		b.WriteString("    "[:n])
		column += n
	}
	return b.String()
}

// The kinds of a line that the preparation tells apart.
const (
	plainLine = iota
	bulletLine
	numberLine // with one digit
)

// listLine tells whether a line begins an item for the rule that a list needs no blank line before it.
func listLine(line string) int {
	line = strings.TrimLeft(line, " ")
	switch {
	case len(line) > 1 && strings.IndexByte("*+-", line[0]) >= 0 && line[1] == ' ':
		return bulletLine
	case len(line) > 2 && '0' <= line[0] && line[0] <= '9' && line[1] == '.' && line[2] == ' ':
		return numberLine
	}
	return plainLine
}

// apart tells whether a blank line belongs between two lines that follow each other.
func apart(before, line string) bool {
	kind := listLine(line)
	return kind != plainLine && before != "" && listLine(before) != kind
}

// indent counts the blanks at the start of a line.
func indent(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// outdent takes up to n blanks off the start of each line.
func outdent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(n, indent(l)):]
	}
	return out
}
