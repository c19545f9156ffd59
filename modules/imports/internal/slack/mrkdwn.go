package slack

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// converter converts texts. It does not know messages.
type converter struct {
	emoji   emojiSet
	person  func(id string) string // the name, or ""
	channel func(id string) (name string, direct, known bool)
	lost    string // what is lost of the text, the first time
}

// lose notes that something is lost.
func (c *converter) lose(reason string) {
	if c.lost == "" {
		c.lost = reason
	}
}

// mrkdwn converts the markup of Slack's texts.
func (c *converter) mrkdwn(s string) []part {
	segments := strings.Split(s, "```")
	if len(segments)%2 == 0 { // the last fence is not closed
		n := len(segments)
		segments[n-2] += "```" + segments[n-1]
		segments = segments[:n-1]
	}
	var out []part
	for i, seg := range segments {
		if i%2 == 1 {
			if strings.TrimSpace(seg) != "" {
				out = append(out, part{kind: codePart, code: strings.Trim(literal(seg), "\n")})
			}
			continue
		}
		before, quoted, toEnd := strings.Cut(seg, "&gt;&gt;&gt;")
		if toEnd = toEnd && (before == "" || strings.HasSuffix(before, "\n")); !toEnd {
			out = append(out, c.lines(seg)...)
			continue
		}
		out = append(out, c.lines(before)...)
		rest := strings.Join(append([]string{strings.TrimPrefix(quoted, " ")}, segments[i+1:]...), "```")
		rest = strings.ReplaceAll(rest, "&gt;&gt;&gt;", "&gt; ") // there is one such quote
		return append(out, part{kind: quotePart, parts: c.mrkdwn(rest)})
	}
	return out
}

// lines converts lines without fences: paragraphs and quotes.
func (c *converter) lines(s string) []part {
	var out []part
	var now []string
	quoting := false
	end := func() {
		text := strings.TrimRight(strings.Trim(strings.Join(now, "\n"), "\n"), " \n")
		if now = nil; strings.TrimSpace(text) == "" {
			return
		}
		p := para(c.inline(text)...)
		if quoting {
			p = part{kind: quotePart, parts: []part{p}}
		}
		out = append(out, p)
	}
	for l := range strings.SplitSeq(s, "\n") {
		inner, isQuote := strings.CutPrefix(l, "&gt;")
		if isQuote != quoting {
			end()
			quoting = isQuote
		}
		if isQuote {
			l = strings.TrimPrefix(inner, " ")
		}
		now = append(now, l)
	}
	end()
	return out
}

// inline converts text within a paragraph.
func (c *converter) inline(s string) []span {
	p := inlineParser{converter: c}
	p.parse(s, 0)
	return p.out
}

// inlineParser makes spans of a text. Each of its searches either succeeds or is not repeated on the same line, so that
// it takes time linear in the text.
type inlineParser struct {
	*converter
	out     []span
	pending strings.Builder
}

func (p *inlineParser) flush(as style) {
	if p.pending.Len() > 0 {
		p.out = append(p.out, styled(entities.Replace(p.pending.String()), as))
		p.pending.Reset()
	}
}

func (p *inlineParser) add(as style, s span) {
	p.flush(as)
	s.style |= as
	p.out = append(p.out, s)
}

var delimiters = map[byte]style{'*': bold, '_': italic, '~': strike}

// parse parses a text that is already in a style.
func (p *inlineParser) parse(s string, as style) {
	failed := map[byte]int{} // by delimiter: no closing one before this position
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '<':
			if end := strings.IndexAny(s[i+1:], "<>\n"); end > 0 && s[i+1+end] == '>' {
				p.add(as, p.angle(s[i+1:i+1+end]))
				i += end + 2
				continue
			}
		case c == ':' && !alnumAt(s, i-1):
			if name := emojiName(s[i+1:]); name != "" {
				if sp, ok := p.emoji.show(name); ok {
					p.add(as, sp)
					i += len(name) + 2
					continue
				}
			}
		case c == '`':
			if n := strings.IndexAny(s[i+1:], "`\n"); n > 0 && s[i+1+n] == '`' {
				p.add(as, span{kind: codeSpan, text: literal(s[i+1 : i+1+n])})
				i += n + 2
				continue
			}
		case delimiters[c] != 0 && as&delimiters[c] == 0 && opens(s, i) && i >= failed[c]:
			n, until := closing(s, i)
			if n > 0 {
				p.flush(as)
				p.parse(s[i+1:n], as|delimiters[c])
				i = n + 1
				continue
			}
			failed[c] = until
		}
		p.pending.WriteByte(c)
		i++
	}
	p.flush(as)
}

// opens reports whether a delimiter can begin a style.
func opens(s string, i int) bool {
	next, _ := utf8.DecodeRuneInString(s[i+1:])
	return !alnumAt(s, i-1) && at(s, i-1) != s[i] && i+1 < len(s) && !unicode.IsSpace(next) && next != rune(s[i])
}

// closing returns the position of the delimiter that ends a style, or 0 and the end of the line.
func closing(s string, i int) (n, until int) {
	inAngle := false
	for n = i + 1; n < len(s) && s[n] != '\n'; n++ {
		switch c := s[n]; {
		case c == '<':
			inAngle = true
		case c == '>':
			inAngle = false
		case c == s[i] && !inAngle && n > i+1 && !blankAt(s, n-1) && !alnumAt(s, n+1) && at(s, n+1) != c:
			return n, n
		}
	}
	return 0, n
}

// alnumAt reports whether there is a letter or digit at a position.
func alnumAt(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// emojiName returns the name at the start of a text that a colon ends.
func emojiName(s string) string {
	end := strings.IndexFunc(s[:min(len(s), 130)], func(r rune) bool {
		return r < 0x80 && (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("_-+'", r)
	})
	if end <= 0 || s[end] != ':' {
		return ""
	}
	if tone := s[end:]; strings.HasPrefix(tone, "::skin-tone-") && len(tone) > 13 && tone[13] == ':' {
		return s[:end+13]
	}
	return s[:end]
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// literal returns what a text in code shows.
func literal(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		end := strings.IndexAny(s[i+1:], "<>")
		if s = s[i:]; end < 0 || s[end+1] != '>' {
			b.WriteByte('<')
			s = s[1:]
			continue
		}
		target, label, ok := strings.Cut(s[1:end+1], "|")
		if !ok {
			label = target
		}
		b.WriteString(label)
		s = s[end+2:]
	}
	return entities.Replace(b.String() + s)
}
