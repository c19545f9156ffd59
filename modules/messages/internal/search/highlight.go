package search

import (
	"cmp"
	"html"
	"slices"
	"strings"
)

const (
	openMark  = `<span class="highlight">`
	closeMark = `</span>`
)

// byteRange is the range of bytes [from, to) of a text.
type byteRange struct{ from, to int }

// Content highlights matches in rendered content. It does not change tags and entities. A match may contain tags, such
// as those that color code.
func (m *Matcher) Content(rendered string) string {
	var b strings.Builder
	at := 0
	for _, s := range m.matches(rendered) {
		if s.to <= at {
			continue
		}
		from := max(s.from, at)
		b.WriteString(rendered[at:from])
		mark(&b, rendered[from:s.to])
		at = s.to
	}
	b.WriteString(rendered[at:])
	return b.String()
}

// mark highlights the text between tags.
func mark(b *strings.Builder, html string) {
	for html != "" {
		end := tagEnd(html)
		if end > 0 {
			b.WriteString(html[:end])
		} else {
			if end = strings.IndexByte(html, '<'); end < 0 {
				end = len(html)
			}
			b.WriteString(openMark + html[:end] + closeMark)
		}
		html = html[end:]
	}
}

// tagEnd returns the length of the tag with which a text begins, or 0.
func tagEnd(html string) int {
	if html[0] != '<' {
		return 0
	}
	if i := strings.IndexByte(html, '>'); i >= 0 {
		return i + 1
	}
	return len(html)
}

// Subject returns a topic as HTML with matches highlighted.
func (m *Matcher) Subject(topic string) string { return m.Content(html.EscapeString(topic)) }

// matches returns the ranges of matches in HTML, in order.
func (m *Matcher) matches(html string) []byteRange {
	var all []byteRange
	if m.all.to > 0 || len(m.all.literals) > 0 {
		f := visible(html, false)
		text := string(f.text)
		for p := range pieces(text) {
			if p.kind == word && m.isHighlighted(text, p) {
				all = append(all, f.source(p.from, p.to))
			}
		}
		for _, l := range m.all.literals {
			if l.quoted {
				continue
			}
			for _, form := range l.forms {
				for at, ok := l.find(text, form, 0); ok; at, ok = l.find(text, form, at+len(form)) {
					all = append(all, f.source(at, at+len(form)))
				}
			}
		}
	}
	if len(m.all.phrases) > 0 {
		f := visible(html, true)
		text := string(f.text)
		for _, p := range m.all.phrases {
			phrase := Literal{anywhere: true}
			for at, ok := phrase.find(text, p, 0); ok; at, ok = phrase.find(text, p, at+len(p)) {
				all = append(all, f.source(at, at+len(p)))
			}
		}
	}
	slices.SortFunc(all, func(a, b byteRange) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return all
}

// visible folds the text of HTML and records its places.
func visible(rendered string, exact bool) *folder {
	f := &folder{exact: exact}
	f.track(len(rendered))
	for at := 0; at < len(rendered); {
		rest := rendered[at:]
		if end := tagEnd(rest); end > 0 {
			if !strings.HasPrefix(rest, "<span") && !strings.HasPrefix(rest, "</span") { // not colored code
				f.put('\n', at, at)
			}
			at += end
			continue
		}
		if end := entityEnd(rest); end > 0 {
			for _, r := range html.UnescapeString(rest[:end]) {
				f.rune(r, at, at+end)
			}
			at += end
			continue
		}
		end := strings.IndexAny(rest[1:], "<&") + 1
		if end == 0 {
			end = len(rest)
		}
		f.add(rest[:end], at)
		at += end
	}
	return f
}

// entityEnd returns the length of the HTML entity with which a text begins, or 0.
func entityEnd(text string) int {
	if text[0] != '&' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == ';':
			return i + 1
		case c != '#' && (c >= 0x80 || !inWord(rune(c))):
			return 0
		}
	}
	return 0
}
