package alertword

import (
	"strings"

	"github.com/stoachat/stoa/domain/markdown"
)

// withoutCode removes fenced code and formulas from the source of a message. It keeps the header and content of blocks
// that contain text, such as quotes.
func withoutCode(source, defaultLanguage string) string {
	if !strings.ContainsAny(source, "`~") {
		return source
	}
	lines := markdown.Lines(source)
	return strings.Join(textOf(nil, lines, 0, len(lines), markdown.Blocks(lines, defaultLanguage)), "\n")
}

// textOf appends the lines from start to end without fences and code.
func textOf(left, lines []string, start, end int, blocks []markdown.Block) []string {
	for _, b := range blocks {
		left = append(left, lines[start:b.Open]...)
		if b.HoldsText() {
			left = textOf(append(left, b.Header), lines, b.Open+1, b.Close, b.Inner)
		}
		start = min(b.Close+1, end)
	}
	return append(left, lines[start:end]...)
}
