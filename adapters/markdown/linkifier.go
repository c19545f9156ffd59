package markdown

import (
	"strings"

	"github.com/stoachat/stoa/domain/linkifier"
)

// linkifiers applies the realm's linkifiers in order to text that is not part of code, a link or a mention.
func (in *inline) linkifiers(s string, _ int) string {
	if in.view == nil {
		return s
	}
	for _, l := range linkifier.In(in.view).All() {
		s = in.linkify(s, l)
	}
	return s
}

// linkify searches the text between placeholders. Except at the start of the whole text, a match cannot begin right
// after a placeholder, which is neither white space nor punctuation.
func (in *inline) linkify(s string, l *linkifier.Compiled) string {
	r := rewriting{in: in, s: s}
	for at := 0; at < len(s); {
		n := strings.IndexByte(s[at:], '\x02')
		if n < 0 {
			n = len(s) - at
		}
		for _, m := range l.Find(s[at:at+n], at == 0, &in.budget) {
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

// within parses the text between two marks. It applies the linkifiers again, because none could match right after the
// opening mark.
func (in *inline) within(n *styled, s string, after int) *styled {
	in.into(n, in.linkifiers(s, after), after)
	return n
}
