package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark-emoji/definition"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// emojiParser reads :name: of Unicode emoji (markdown.md §10.3).
type emojiParser struct{}

var emojis = definition.Github()

func (emojiParser) Trigger() []byte { return []byte{':'} }

func (emojiParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, _ := block.PeekLine()
	end := 1
	for end < len(line) && word(line[end]) {
		end++
	}
	if end == 1 || end == len(line) || line[end] != ':' {
		return nil
	}
	name := string(line[1:end])
	e, ok := emojis.Get(name)
	if !ok || !e.IsUnicode() {
		return nil
	}
	block.Advance(end + 1)
	title := strings.ReplaceAll(name, "_", " ")
	return &span{tag: "span", text: ":" + name + ":", attrs: []attr{
		{"aria-label", title}, {"class", "emoji emoji-" + code(e.Unicode)}, {"role", "img"}, {"title", title},
	}}
}

func word(c byte) bool {
	return c == '_' || c == '-' || c == '+' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// code writes an emoji as clients look it up: code points in hex joined by dashes, without the variation selector.
func code(rs []rune) string {
	var parts []string
	for _, r := range rs {
		if r != 0xfe0f {
			parts = append(parts, fmt.Sprintf("%04x", r))
		}
	}
	return strings.Join(parts, "-")
}
