package markdown

import (
	"strings"
	"unicode/utf8"
)

// lines normalizes a text and splits it into lines. It expands tabs to four columns, empties blank lines, and removes
// the two placeholder characters (inline.go).
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

// expand replaces tabs with spaces up to the next multiple of four columns.
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

// Kinds of lines, as distinguished by apart.
const (
	plainLine = iota
	bulletLine
	numberLine // one digit
)

// listLine returns the kind of a line, by which apart recognizes where a list begins.
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

// needsBlankLine reports whether to insert a blank line between two consecutive lines, as before the first item of a
// list.
func needsBlankLine(before, line string) bool {
	kind := listLine(line)
	return kind != plainLine && before != "" && listLine(before) != kind
}

// indent counts the leading spaces of a line.
func indent(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// outdent removes up to n leading spaces from each line.
func outdent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(n, indent(l)):]
	}
	return out
}
