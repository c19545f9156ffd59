package history

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Time limits for finding minimal differences: per pair of texts, and in total per history. When the time is up, the
// difference found is correct but may not be minimal.
const (
	maxDiffTime      = 100 * time.Millisecond
	maxDiffTimeInAll = time.Second
)

// diffTime returns the time limit for each of n differences. It is never 0, which would mean no limit.
func diffTime(n int) time.Duration {
	return max(min(maxDiffTime, maxDiffTimeInAll/time.Duration(max(n, 1))), time.Microsecond)
}

// difference compares two versions of a message's HTML. It returns now with inserted words marked and deleted words
// added and marked. Tags are taken only from now, so the result is as well-formed as now.
func difference(old, now string, atMost time.Duration) string {
	d := diffmatchpatch.New()
	d.DiffTimeout = atMost
	oldTokens, words := tokens(old, nil)
	newTokens, words := tokens(now, words)
	var b marker
	for _, part := range d.DiffMainRunes(oldTokens, newTokens, false) {
		for _, r := range part.Text {
			word := words[r-firstToken]
			isWord := !strings.HasPrefix(word, "<") && strings.TrimSpace(word) != ""
			switch {
			case part.Type == diffmatchpatch.DiffDelete && isWord:
				b.write("highlight_text_deleted", word)
			case part.Type == diffmatchpatch.DiffDelete:
			case part.Type == diffmatchpatch.DiffInsert && isWord:
				b.write("highlight_text_inserted", word)
			default:
				b.write("", word)
			}
		}
	}
	b.write("", "")
	return string(b.text)
}

// marker wraps text in span elements with a class, joining adjacent text of the same class.
type marker struct {
	text  []byte
	class string
}

func (m *marker) write(class, text string) {
	if class != m.class {
		if m.class != "" {
			m.text = append(m.text, "</span>"...)
		}
		if class != "" {
			m.text = append(m.text, `<span class="`+class+`">`...)
		}
		m.class = class
	}
	m.text = append(m.text, text...)
}

// firstToken is the first rune used to represent a token. It starts the two supplementary private use planes.
const firstToken = 0xF0000

const maxTokens = 0x1FFFD

// tokens splits HTML into tags, words, and single characters between words, and represents each distinct token by a
// rune. words contains the tokens that already have one; tokens returns the extended list.
func tokens(html string, words []string) ([]rune, []string) {
	number := make(map[string]rune, len(words))
	for i, w := range words {
		number[w] = firstToken + rune(i)
	}
	var out []rune
	for len(html) > 0 {
		n := tokenLen(html)
		if len(words) >= maxTokens-1 { // the rest becomes one token
			n = len(html)
		}
		w := html[:n]
		html = html[n:]
		r, ok := number[w]
		if !ok {
			r = firstToken + rune(len(words))
			number[w], words = r, append(words, w)
		}
		out = append(out, r)
	}
	return out, words
}

func tokenLen(s string) int {
	if s[0] == '<' {
		if end := strings.IndexByte(s, '>'); end >= 0 {
			return end + 1
		}
		return len(s)
	}
	if s[0] == '&' {
		if end := strings.IndexByte(s, ';'); end >= 0 {
			return end + 1
		}
	}
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	first, size := utf8.DecodeRuneInString(s)
	if !isWord(first) {
		return size
	}
	for i, r := range s {
		if !isWord(r) {
			return i
		}
	}
	return len(s)
}
