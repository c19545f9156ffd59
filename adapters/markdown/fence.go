package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
)

// maxDepth limits the nesting of quotes, spoilers and lists; deeper content is shown flat.
const maxDepth = 100

// text parses a text: first its fenced blocks, then the lines between these.
func (p *parsing) text(parent ast.Node, ls []string, depth int) {
	p.fenced(parent, ls, 0, len(ls), markdown.Blocks(ls, p.realm().DefaultCodeBlockLanguage), depth)
}

// fenced parses the lines from start to end, which contain the given blocks.
func (p *parsing) fenced(parent ast.Node, ls []string, start, end int, blocks []markdown.Block, depth int) {
	if depth > maxDepth {
		p.flat(parent, ls[start:end])
		return
	}
	for _, b := range blocks {
		p.blocks(parent, separated(ls[start:b.Open]), depth, false)
		p.fence(parent, b, ls, depth)
		start = min(b.Close+1, end)
	}
	p.blocks(parent, separated(ls[start:end]), depth, false)
}

// separated returns the lines with missing blank lines before lists added.
func separated(ls []string) []string {
	out := make([]string, 0, len(ls))
	for i, l := range ls {
		if i > 0 && needsBlankLine(ls[i-1], l) {
			out = append(out, "")
		}
		out = append(out, l)
	}
	return out
}

// fence adds a fenced block. ls holds the lines of the whole text.
func (p *parsing) fence(parent ast.Node, b markdown.Block, ls []string, depth int) {
	content := ls[b.Open+1 : b.Close]
	switch b.Language {
	case "quote", "quoted":
		q := ast.NewBlockquote()
		p.quoted++
		p.fenced(q, ls, b.Open+1, b.Close, b.Inner, depth+1)
		p.quoted--
		if q.HasChildren() {
			parent.AppendChild(parent, q)
		}
	case "spoiler":
		s, header, hidden := &spoiler{}, &spoilerPart{kind: kindHeader}, &spoilerPart{kind: kindContent}
		if b.Header != "" {
			p.text(header, []string{b.Header}, depth+1)
		}
		p.fenced(hidden, ls, b.Open+1, b.Close, b.Inner, depth+1)
		s.AppendChild(s, header)
		s.AppendChild(s, hidden)
		parent.AppendChild(parent, s)
	case "math":
		p.formulas(parent, content)
	default:
		if !p.madeBlock(parent, b.Language, b.Header, content) {
			p.code(parent, b.Language, content)
		}
	}
}

func (p *parsing) realmID() realm.ID {
	if p.view == nil || p.view.Realm() == nil {
		return 0
	}
	return p.view.Realm().ID
}

func (p *parsing) realm() realm.Settings {
	if p.view == nil || p.view.Realm() == nil {
		return realm.Settings{}
	}
	return p.view.Realm().Settings
}

// code adds a code block without trailing spaces, and without empty lines at its beginning and end.
func (p *parsing) code(parent ast.Node, language string, content []string) {
	trimmed := make([]string, len(content))
	for i, l := range content {
		trimmed[i] = strings.TrimRight(l, " ")
	}
	text := strings.Trim(strings.Join(trimmed, "\n"), "\n")
	if text == "" {
		return
	}
	parent.AppendChild(parent, p.paint.block(language, text))
}

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
