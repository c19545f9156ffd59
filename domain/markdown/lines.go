package markdown

import (
	"strings"
	"unicode/utf8"
)

// Lines normalizes a text and splits it into lines. It expands tabs to four columns, empties blank lines, and removes
// U+0002 and U+0003, which the renderer uses itself.
func Lines(text string) []string {
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
