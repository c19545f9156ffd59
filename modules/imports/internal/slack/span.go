package slack

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// style is the style of a text, as bits.
type style uint8

const (
	bold style = 1 << iota
	italic
	strike
)

// marks are the marks of styles, from the outermost to the innermost.
var marks = []struct {
	style style
	mark  string
}{{strike, "~~"}, {bold, "**"}, {italic, "*"}}

type spanKind uint8

const (
	textSpan spanKind = iota
	codeSpan
	linkSpan
	rawSpan // Markdown, as it is
	refSpan // Markdown that is not styled, and that other words must not touch
)

// span is a part of a line of text. All texts are plain, but md.
type span struct {
	kind  spanKind
	text  string
	url   string // of a link
	md    string
	style style
}

func plain(s string) span                { return span{text: s} }
func styled(s string, as style) span     { return span{text: s, style: as} }
func link(url string, label span) span   { label.kind, label.url = linkSpan, url; return label }
func reference(md, fallback string) span { return span{kind: refSpan, md: md, text: fallback} }
func linkTo(to, label string, s style) span {
	return span{kind: linkSpan, url: to, text: label, style: s}
}

// plainText returns spans without markup.
func plainText(all []span) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.text)
	}
	return b.String()
}

// markdown returns spans as Markdown. On a single line, as in a table, references are plain text.
func markdown(all []span, line bool) string {
	var b writer
	for i, s := range all {
		if line {
			s.text = strings.Join(strings.Fields(s.text), " ")
			if i > 0 && strings.HasPrefix(all[i].text, " ") || strings.HasPrefix(all[i].text, "\n") {
				s.text = " " + s.text
			}
			if end := all[i].text; strings.TrimRight(end, " \n") != end && strings.TrimSpace(s.text) != "" {
				s.text += " "
			}
			if s.kind == refSpan {
				s.kind = textSpan
			}
		}
		switch s.kind {
		case codeSpan:
			b.code(s)
		case linkSpan:
			b.link(s, i+1 == len(all) || startsApart(all[i+1]))
		case rawSpan:
			b.styled(s.md, s.style)
		case refSpan:
			b.apart()
			b.out.WriteString(s.md)
		default:
			b.text(s, i+1 < len(all) && all[i+1].kind == codeSpan)
		}
	}
	if line {
		return strings.ReplaceAll(b.out.String(), "|", "&#124;")
	}
	return b.out.String()
}

func startsApart(s span) bool {
	r, _ := utf8.DecodeRuneInString(s.text)
	return unicode.IsSpace(r)
}

// writer writes Markdown.
type writer struct{ out strings.Builder }

// atStart reports whether a line begins here.
func (w *writer) atStart() bool { return w.out.Len() == 0 || strings.HasSuffix(w.out.String(), "\n") }

// apart writes a space if a mention could not begin here.
func (w *writer) apart() {
	r, _ := utf8.DecodeLastRuneInString(w.out.String())
	if w.out.Len() > 0 && !unicode.IsSpace(r) && !strings.ContainsRune(`'"({[/<`, r) {
		w.out.WriteByte(' ')
	}
}

func (w *writer) text(s span, beforeCode bool) {
	for i, l := range strings.Split(s.text, "\n") {
		if i > 0 {
			w.out.WriteByte('\n')
		}
		l = escape(l, w.atStart())
		if beforeCode && strings.HasSuffix(l, `\`) {
			l = strings.TrimSuffix(l, `\`) + "&#92;"
		}
		w.styled(l, s.style)
	}
}

// styled writes Markdown in a style, with blanks outside of the marks.
func (w *writer) styled(md string, as style) {
	inner := strings.TrimSpace(md)
	if as == 0 || inner == "" {
		w.out.WriteString(md)
		return
	}
	at := strings.Index(md, inner)
	w.out.WriteString(md[:at])
	for _, m := range marks {
		if as&m.style != 0 {
			w.out.WriteString(m.mark)
		}
	}
	w.out.WriteString(inner)
	for i := len(marks) - 1; i >= 0; i-- {
		if as&marks[i].style != 0 {
			w.out.WriteString(marks[i].mark)
		}
	}
	w.out.WriteString(md[at+len(inner):])
}

// code writes a code span, between marks that are longer than any within it.
func (w *writer) code(s span) {
	text := strings.ReplaceAll(s.text, "\n", " ")
	if strings.TrimSpace(text) == "" {
		w.out.WriteString(text)
		return
	}
	mark := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	w.styled(mark+text+mark, s.style&^italic)
}

// link writes a link. free reports whether a blank follows, so that a bare address has an end.
func (w *writer) link(s span, free bool) {
	label := strings.TrimSpace(strings.ReplaceAll(s.text, "\n", " "))
	target, ok := address(s.url)
	switch {
	case !ok:
		s.text = label
		if label == "" {
			s.text = s.url
		}
		w.text(s, false)
	case (label == "" || label == s.url) && free && bare(target) && w.free():
		w.styled(target, s.style)
	default:
		if label == "" {
			label = s.url
		}
		w.styled("["+linkText(label)+"]("+target+")", s.style)
	}
}

// free reports whether the text so far ends with a blank.
func (w *writer) free() bool {
	r, _ := utf8.DecodeLastRuneInString(w.out.String())
	return w.out.Len() == 0 || unicode.IsSpace(r)
}

// bare reports whether an address can stand alone in a text.
func bare(target string) bool {
	last := target[len(target)-1]
	return strings.HasPrefix(target, "http") && !strings.ContainsAny(target, "*~`$[]") && (last == '/' || last == '=' ||
		last >= '0' && last <= '9' || last >= 'a' && last <= 'z' || last >= 'A' && last <= 'Z')
}

// address returns a URL as the target of a link, or false if it is none that may be opened.
func address(to string) (string, bool) {
	u, err := url.Parse(to)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "ftp":
		if u.Host == "" {
			return "", false
		}
	case "mailto", "tel":
	default:
		return "", false
	}
	return targets.Replace(to), true
}

var targets = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "", `"`, "%22",
	"\\", "%5C", "`", "%60")

// linkText escapes the text of a link.
func linkText(s string) string { return brackets.Replace(escape(s, false)) }

var brackets = strings.NewReplacer("[", "&#91;", "]", "&#93;", "\n", " ")

// longestRun returns the length of the longest run of a character.
func longestRun(s string, of byte) int {
	longest, n := 0, 0
	for i := range len(s) {
		if s[i] != of {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}
