package message

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/markdown"
)

// Enclose returns a fenced block of at most limit code points with the given language and header. The text is truncated
// if necessary. It can neither end the block nor extend it: fences that the text leaves open are closed.
func Enclose(opening, text string, limit int) string {
	f, _ := markdown.OpenFence("```" + opening)
	n := limit
	for range maxCuts {
		content := Cut(text, n)
		if f.HoldsText() {
			content = markdown.Closed(content)
		}
		marks := fence(content)
		block := marks + opening + "\n" + content + "\n" + marks
		over := utf8.RuneCountInString(block) - limit
		if over <= 0 {
			return block
		}
		n -= over
	}
	return "```" + opening + "\n…\n```"
}

// maxCuts limits how often a text is truncated further because the fences made it too long.
const maxCuts = 8

// fence returns a fence of backticks that the text cannot close.
func fence(text string) string {
	longest, run := 2, 0
	for _, r := range strings.Join(markdown.Lines(text), "\n") {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}
