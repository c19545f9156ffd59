package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// inline parses the text of one block. It applies one pattern after the other to the whole remaining text. Matches are
// stored and replaced by placeholders: their number between U+0002 and U+0003, which cannot occur in the text itself.
type inline struct {
	*parsing
	found []found
}

// found is a stored node and its source text.
type found struct {
	node   ast.Node
	source string
}

// pattern replaces its matches in s by placeholders. after is the index of the next pattern, from which on patterns are
// applied to text inside a match.
type pattern func(in *inline, s string, after int) string

type pass struct {
	trigger string // texts without any of these bytes have no match; "": requires a non-ASCII byte
	run     pattern
}

// anyText is the trigger of patterns that may match in any text.
const anyText = "any"

func (p pass) worthwhile(s string) bool {
	switch p.trigger {
	case anyText:
		return true
	case "":
		return !ascii(s)
	}
	return strings.ContainsAny(s, p.trigger)
}

// passes returns the patterns in the order in which they are applied.
func passes() []pass {
	return []pass{
		{"`", (*inline).code},
		{anyText, (*inline).constructs},
		{"*", (*inline).strongEmphasis},
		{"@", (*inline).mentions},
		{"$", (*inline).tex},
		{"#", (*inline).channelLinks},
		{"<", (*inline).times},
		{"@", (*inline).groupMentions},
		{"!", (*inline).uploadImages},
		{"[", (*inline).links},
		{".:", (*inline).addresses},
		{anyText, (*inline).linkifiers},
		{"&", (*inline).entities},
		{"*", (*inline).strong},
		{"*", (*inline).emphasis},
		{"~", (*inline).deleted},
		{":", (*inline).emojiNames},
		{"():;<", (*inline).emoticons},
		{"", (*inline).unicodeEmoji},
	}
}

// inline parses the text of a block into nodes under parent.
func (p *parsing) inline(parent ast.Node, s string) {
	in := inline{parsing: p}
	in.into(parent, s, 0)
}

// into applies the patterns starting at index from, and adds the resulting nodes to parent.
func (in *inline) into(parent ast.Node, s string, from int) {
	for i := from; i < len(in.passes); i++ {
		if in.passes[i].worthwhile(s) {
			s = in.passes[i].run(in, s, i+1)
		}
	}
	for s != "" {
		start := strings.IndexByte(s, '\x02')
		if start < 0 {
			parent.AppendChild(parent, &plain{text: s})
			return
		}
		if start > 0 {
			parent.AppendChild(parent, &plain{text: s[:start]})
		}
		n, size := placeholder(s[start:])
		parent.AppendChild(parent, in.found[n].node)
		s = s[start+size:]
	}
}

// put stores a node and writes its placeholder.
func (in *inline) put(b *strings.Builder, n ast.Node, source string) {
	b.WriteByte('\x02')
	b.WriteString(strconv.Itoa(len(in.found)))
	b.WriteByte('\x03')
	in.found = append(in.found, found{n, source})
}

// placeholder parses the placeholder at the start of s.
func placeholder(s string) (n, size int) {
	for i := 1; i < len(s); i++ {
		if s[i] == '\x03' {
			return n, i + 1
		}
		n = n*10 + int(s[i]-'0')
	}
	return 0, len(s)
}

// written returns the source of s, with placeholders replaced by what they stand for.
func (in *inline) written(s string) string {
	if strings.IndexByte(s, '\x02') < 0 {
		return s
	}
	var b strings.Builder
	for {
		start := strings.IndexByte(s, '\x02')
		if start < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:start])
		n, size := placeholder(s[start:])
		b.WriteString(in.found[n].source)
		s = s[start+size:]
	}
}

// rewriting replaces parts of a text by placeholders.
type rewriting struct {
	in     *inline
	s      string
	b      strings.Builder
	copied int // end of the part of s that has been copied
}

// replace replaces s[start:end] by a node.
func (r *rewriting) replace(start, end int, n ast.Node) {
	r.b.WriteString(r.s[r.copied:start])
	r.in.put(&r.b, n, r.in.written(r.s[start:end]))
	r.copied = end
}

// text returns the text with the replacements.
func (r *rewriting) text() string {
	if r.copied == 0 {
		return r.s
	}
	r.b.WriteString(r.s[r.copied:])
	return r.b.String()
}

// each calls try at every position of the byte mark in s. try returns where to continue, at least one byte further.
func (in *inline) each(s string, mark byte, try func(r *rewriting, at int) (next int)) string {
	r := rewriting{in: in, s: s}
	for at := 0; ; {
		i := strings.IndexByte(s[at:], mark)
		if i < 0 {
			return r.text()
		}
		at = max(try(&r, at+i), at+i+1)
		if at >= len(s) {
			return r.text()
		}
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
