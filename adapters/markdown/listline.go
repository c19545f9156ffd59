package markdown

import "strings"

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
