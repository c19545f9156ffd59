package markdown

import (
	"strings"

	"github.com/stoachat/stoa/domain/linkifier"
)

// linkifiers finds what the realm makes links of: in their order, in what is no code, link or mention yet.
func (in *inline) linkifiers(s string, _ int) string {
	if in.view == nil {
		return s
	}
	for _, l := range in.view.Linkifiers().All() {
		s = in.linkify(s, l)
	}
	return s
}

// linkify looks in the text between placeholders: a match is all text. At the start of such a piece none may begin,
// since what stands before it is neither white space nor punctuation, unless it is the start of everything.
func (in *inline) linkify(s string, l *linkifier.Compiled) string {
	r := rewriting{in: in, s: s}
	for at := 0; at < len(s); {
		n := strings.IndexByte(s[at:], '\x02')
		if n < 0 {
			n = len(s) - at
		}
		for _, m := range l.Find(s[at:at+n], at == 0, &in.work) {
			text := s[at+m.Start : at+m.End]
			if href, ok := in.target(m.URL); ok && href != "" {
				r.replace(at+m.Start, at+m.End, in.newLink(href, "", text))
			}
		}
		if at += n; at < len(s) {
			_, size := placeholder(s[at:])
			at += size
		}
	}
	return r.text()
}

// within parses the text between two marks. What stands at its start stood after a mark before, and so was no match of
// a linkifier.
func (in *inline) within(n *styled, s string, after int) *styled {
	in.into(n, in.linkifiers(s, after), after)
	return n
}
