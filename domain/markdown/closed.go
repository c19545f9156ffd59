package markdown

import "strings"

// Closed returns a text followed by closing lines for the fenced blocks that it leaves open.
func Closed(text string) string {
	var b strings.Builder
	b.WriteString(text)
	lines := Lines(text)
	closeOpen(&b, Blocks(lines, ""), len(lines))
	return b.String()
}

// closeOpen writes the closing lines of the blocks that end with the text, innermost first. Only the last one can.
func closeOpen(b *strings.Builder, blocks []Block, end int) {
	if len(blocks) == 0 {
		return
	}
	if last := blocks[len(blocks)-1]; last.Close == end {
		closeOpen(b, last.Inner, end)
		b.WriteString("\n" + last.Marks)
	}
}
