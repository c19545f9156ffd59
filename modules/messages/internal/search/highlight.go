package search

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	openMark  = `<span class="highlight">`
	closeMark = `</span>`
)

// Content highlights matches in rendered content. It does not change tags and entities.
func (m *Matcher) Content(rendered string) string {
	var b strings.Builder
	for len(rendered) > 0 {
		if rendered[0] == '<' {
			end := strings.IndexByte(rendered, '>') + 1
			if end == 0 {
				end = len(rendered)
			}
			b.WriteString(rendered[:end])
			rendered = rendered[end:]
			continue
		}
		end := strings.IndexByte(rendered, '<')
		if end < 0 {
			end = len(rendered)
		}
		m.text(&b, rendered[:end])
		rendered = rendered[end:]
	}
	return b.String()
}

// Subject returns a topic as HTML with matches highlighted.
func (m *Matcher) Subject(topic string) string {
	var b strings.Builder
	m.text(&b, html.EscapeString(topic))
	return b.String()
}

// byteRange is the range of bytes [from, to) of a text.
type byteRange struct{ from, to int }

// text highlights matches in text between tags, which may contain entities.
func (m *Matcher) text(b *strings.Builder, text string) {
	at := 0
	for _, s := range m.matches(text) {
		if s.to <= at {
			continue
		}
		from := max(s.from, at)
		b.WriteString(text[at:from])
		b.WriteString(openMark + text[from:s.to] + closeMark)
		at = s.to
	}
	b.WriteString(text[at:])
}

// matches returns the matches in a text, in order.
func (m *Matcher) matches(text string) []byteRange {
	entities := entitiesOf(text)
	var all []byteRange
	for _, w := range words(text) {
		if w.dense || overlaps(entities, byteRange{w.from, w.to}) {
			continue
		}
		if slices.ContainsFunc(parts(text[w.from:w.to]), m.matchesTerm) {
			all = append(all, byteRange{w.from, w.to})
		}
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // offsets would differ
		lower = text
	}
	for _, p := range m.literal {
		p = html.EscapeString(p)
		for from := 0; ; {
			i := strings.Index(lower[from:], p)
			if i < 0 {
				break
			}
			s := byteRange{from + i, from + i + len(p)}
			if !within(entities, s.from) && !within(entities, s.to) {
				all = append(all, s)
			}
			from = s.to
		}
	}
	slices.SortFunc(all, func(a, b byteRange) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return all
}

// firstEndingAfter returns the first of the ranges that ends after an offset. The ranges must be disjoint and ordered.
func firstEndingAfter(all []byteRange, place int) (byteRange, bool) {
	i, _ := slices.BinarySearchFunc(all, place+1, func(s byteRange, least int) int { return cmp.Compare(s.to, least) })
	if i == len(all) {
		return byteRange{}, false
	}
	return all[i], true
}

// overlaps reports whether s overlaps one of the ranges.
func overlaps(all []byteRange, s byteRange) bool {
	e, ok := firstEndingAfter(all, s.from)
	return ok && e.from < s.to
}

// within reports whether an offset is inside one of the ranges, not at its bounds.
func within(all []byteRange, place int) bool {
	e, ok := firstEndingAfter(all, place)
	return ok && e.from < place
}

// entitiesOf returns the HTML entities in a text.
func entitiesOf(text string) []byteRange {
	var all []byteRange
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '&')
		if i < 0 {
			return all
		}
		start := from + i
		end := start + 1
		for end < len(text) && (text[end] == '#' || inWord(rune(text[end])) && text[end] < utf8.RuneSelf) {
			end++
		}
		if end < len(text) && text[end] == ';' {
			all = append(all, byteRange{start, end + 1})
			end++
		}
		from = end
	}
}
