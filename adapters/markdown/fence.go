package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
)

// maxDepth is how deeply quotes, spoilers and lists may nest; what is deeper is shown flat (markdown.md §16).
const maxDepth = 100

// text parses a text that may hold fences: a message, or the content of a quote or of a spoiler. Fences come first; the lines
// between them are blocks.
func (p *parsing) text(parent ast.Node, ls []string, depth int) {
	if depth > maxDepth {
		p.flat(parent, ls)
		return
	}
	closing := closers{lines: ls}
	var plain []string
	for i := 0; i < len(ls); i++ {
		f, ok := markdown.OpenFence(ls[i])
		if !ok {
			if len(plain) > 0 && apart(plain[len(plain)-1], ls[i]) {
				plain = append(plain, "")
			}
			plain = append(plain, ls[i])
			continue
		}
		p.blocks(parent, plain, depth, false)
		plain = nil
		end := closing.after(i, f.Marks)
		p.fence(parent, f, ls[i+1:end], depth)
		i = end
	}
	p.blocks(parent, plain, depth, false)
}

// closers finds the lines that close fences: those of marks alone, noted by their marks when one is first asked for.
type closers struct {
	lines []string
	at    map[string][]int
}

// after gives the line that closes a fence opened at line i: that of exactly its marks, or the end of the text.
func (c *closers) after(i int, marks string) int {
	if c.at == nil {
		c.at = map[string][]int{}
		for n, l := range c.lines {
			if l == "" || l[0] != '`' && l[0] != '~' {
				continue
			}
			if t := strings.TrimRight(l, " "); strings.Trim(t, t[:1]) == "" {
				c.at[t] = append(c.at[t], n)
			}
		}
	}
	at := c.at[marks]
	for len(at) > 0 && at[0] <= i {
		at = at[1:]
	}
	c.at[marks] = at
	if len(at) == 0 {
		return len(c.lines)
	}
	return at[0]
}

// fence adds what a fence with that content becomes.
func (p *parsing) fence(parent ast.Node, f markdown.Fence, content []string, depth int) {
	switch f.Language {
	case "quote", "quoted":
		q := ast.NewBlockquote()
		p.quoted++
		p.text(q, content, depth+1)
		p.quoted--
		if q.HasChildren() {
			parent.AppendChild(parent, q)
		}
	case "spoiler":
		s, header, hidden := &spoiler{}, &spoilerPart{kind: kindHeader}, &spoilerPart{kind: kindContent}
		if f.Header != "" {
			p.text(header, []string{f.Header}, depth+1)
		}
		p.text(hidden, content, depth+1)
		s.AppendChild(s, header)
		s.AppendChild(s, hidden)
		parent.AppendChild(parent, s)
	case "math":
		p.formulas(parent, content)
	case "":
		if def := strings.ToLower(p.realm().DefaultCodeBlockLanguage); def != "text" {
			f.Language = def
		}
		fallthrough
	default:
		p.code(parent, f.Language, content)
	}
}

func (p *parsing) realm() realm.Settings {
	if p.view == nil || p.view.Realm() == nil {
		return realm.Settings{}
	}
	return p.view.Realm().Settings
}

// code adds a block of code: its lines without blanks at their ends, no empty ones first or last.
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
