package markdown

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	nethtml "golang.org/x/net/html"
)

// link is a link written as [text](target) or as a bare address. Its text is literal.
type link struct {
	ast.BaseInline
	href, title, text string
	quoted            bool   // inside a quote, where links have no preview
	plain             bool   // escape entities in the text as well
	upload            string // path ID of the linked upload
}

var kindLink = ast.NewNodeKind("OwnLink")

// Kind implements ast.Node.
func (*link) Kind() ast.NodeKind { return kindLink }

// Dump implements ast.Node.
func (n *link) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// brackets maps the opening square brackets in s to their closing ones, and opening parentheses to theirs, which must
// be on the same line.
func brackets(s string) (square, round map[int]int) {
	square, round = map[int]int{}, map[int]int{}
	var squares, rounds []int
	for i := range len(s) {
		switch s[i] {
		case '[':
			squares = append(squares, i)
		case ']':
			if n := len(squares); n > 0 {
				square[squares[n-1]] = i
				squares = squares[:n-1]
			}
		case '(':
			rounds = append(rounds, i)
		case ')':
			if n := len(rounds); n > 0 {
				round[rounds[n-1]] = i
				rounds = rounds[:n-1]
			}
		case '\n':
			rounds = rounds[:0]
		}
	}
	return square, round
}

// links matches [text](target "title").
func (in *inline) links(s string, _ int) string {
	return in.bracketed(s, "[", func(text, dest, title string) ast.Node {
		href, ok := in.target(dest)
		if !ok {
			return nil
		}
		if blank(text) && href == "" {
			text = dest
		}
		return in.newLink(href, title, text)
	})
}

// bracketed matches open, text, ](, target, an optional title and ). made returns the node, or nil to leave the match
// unchanged.
func (in *inline) bracketed(s, open string, made func(text, dest, title string) ast.Node) string {
	if !strings.Contains(s, "](") {
		return s
	}
	square, round := brackets(s)
	return in.each(s, open[0], func(r *rewriting, at int) int {
		start := at + len(open)
		if !strings.HasPrefix(s[at:], open) {
			return at + 1
		}
		close, ok := square[start-1]
		if !ok || !strings.HasPrefix(s[close:], "](") {
			return at + 1
		}
		end, ok := round[close+1]
		if !ok {
			return at + 1
		}
		dest, title := in.destination(s[close+2 : end])
		if dest == "" {
			return at + 1
		}
		n := made(in.written(s[start:close]), dest, title)
		if n == nil {
			return at + 1
		}
		r.replace(at, end+1, n)
		return end + 1
	})
}

// destination parses the content of the parentheses: a target, optionally in <>, and an optional title in quotes.
func (in *inline) destination(s string) (dest, title string) {
	s = strings.TrimSpace(in.written(s))
	if n := len(s); n > 2 && (s[n-1] == '"' || s[n-1] == '\'') {
		if i := strings.Index(s, " "+s[n-1:]); i > 0 && i+2 < n {
			s, title = strings.TrimSpace(s[:i]), s[i+2:n-1]
		}
	}
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		s = s[1 : len(s)-1]
	}
	return s, title
}

func (in *inline) newLink(href, title, text string) *link {
	if blank(text) {
		text = href
	}
	n := &link{href: href, title: title, text: text, quoted: in.quoted > 0}
	if path, ok := strings.CutPrefix(href, "/user_uploads/"); ok {
		n.upload = uploadPath(path)
		in.uploads = append(in.uploads, n.upload)
	}
	return n
}

// blank reports whether the text of a link would be invisible, written as characters or as entities.
func blank(text string) bool {
	return !strings.ContainsFunc(nethtml.UnescapeString(text), func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '\u2800' && r != '\u3164' && r != '\uffa0'
	})
}

// uploadPath returns the path ID of an upload. path is the rest of its address.
func uploadPath(path string) string {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

// allowed reports whether links may use a scheme. A link with another scheme stays text.
func allowed(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "file", "bitcoin", "geo", "im", "irc", "ircs", "magnet", "mailto", "matrix", "mms",
		"news", "nntp",
		"openpgp4fpr", "sip", "sms", "smsto", "ssh", "tel", "urn", "webcal", "wtai", "xmpp":
		return true
	}
	return false
}

// scheme returns the scheme of a target, or "". A host with a port is not a scheme.
func scheme(raw string) string {
	i := strings.IndexAny(raw, ":/?#")
	if i <= 0 || raw[i] != ':' || !alnum(raw[0]) || '0' <= raw[0] && raw[0] <= '9' {
		return ""
	}
	for j := range i {
		if !alnum(raw[j]) && strings.IndexByte("+.-", raw[j]) < 0 {
			return ""
		}
	}
	port := raw[i+1:]
	if end := strings.IndexAny(port, "/?#"); end >= 0 {
		port = port[:end]
	}
	if digits(port) && !allowed(raw[:i]) {
		return ""
	}
	return raw[:i]
}

// target returns a safe form of a link's target. ok is false if the target is not allowed.
func (p *parsing) target(raw string) (string, bool) {
	raw = encoded(strings.TrimSpace(raw))
	name := scheme(raw)
	switch {
	case name != "":
		if !allowed(name) {
			return "", false
		}
		raw = p.local(raw)
	case strings.HasPrefix(raw, "/"), strings.HasPrefix(raw, "#"):
	case strings.HasPrefix(raw, "user_uploads/"):
		raw = "/" + raw
	case mailbox(raw):
		raw = "mailto:" + raw
	default:
		raw = p.local("http://" + raw)
	}
	if !parsable(raw) {
		return "", true
	}
	return raw, true
}

// parsable reports whether the brackets of an IPv6 host are balanced, which is all that clients require of a target.
// Placeholders in hosts and ports, as in http://{host}:port/, are kept as written.
func parsable(raw string) bool {
	_, host, ok := strings.Cut(raw, "//")
	if !ok {
		return true
	}
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	return strings.Contains(host, "[") == strings.Contains(host, "]")
}

// mailbox reports whether a target without a scheme contains an @ before any ? or #.
func mailbox(raw string) bool {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i]
	}
	return strings.IndexByte(raw, '@') >= 0
}

// local converts a target within the realm to a relative one.
func (p *parsing) local(raw string) string {
	if p.source.RealmURL == "" {
		return raw
	}
	rest, ok := strings.CutPrefix(raw, p.source.RealmURL+"/")
	switch {
	case ok && strings.HasPrefix(rest, "#"):
		return rest
	case ok && strings.HasPrefix(rest, "user_uploads/"):
		return "/" + rest
	}
	return raw
}

// encoded percent-encodes characters that are not allowed in addresses: spaces, control characters, and percent signs
// that do not begin a triplet.
func encoded(raw string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	done := 0
	for i := range len(raw) {
		c := raw[i]
		if c > ' ' && c != 0x7f && (c != '%' || i+2 < len(raw) && isHex(raw[i+1]) && isHex(raw[i+2])) {
			continue
		}
		b.WriteString(raw[done:i])
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		done = i + 1
	}
	if done == 0 {
		return raw
	}
	b.WriteString(raw[done:])
	return b.String()
}

func isHex(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
