package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/xurls/v2"
)

// domains holds the public top-level domains, except those that are also common file extensions.
type domains map[string]bool

func publicDomains() domains {
	out := make(domains, len(xurls.TLDs))
	for _, d := range xurls.TLDs {
		out[d] = true
	}
	for _, d := range []string{"java", "md", "mov", "py", "zip"} {
		delete(out, d)
	}
	return out
}

// addresses matches bare URLs and email addresses.
func (in *inline) addresses(s string, _ int) string {
	if !in.domains.likely(s) {
		return s
	}
	r := rewriting{in: in, s: s}
	for at := 0; at < len(s); {
		start := at
		size := in.domains.address(s[start:])
		if size > 0 {
			text := s[start : start+size]
			if href, ok := in.target(text); ok && href != "" {
				r.replace(start, start+size, in.newLink(href, "", text))
				at = start + size
			}
		}
		at = nextStart(s, max(at, start+1))
	}
	return r.text()
}

// likely reports whether a text may contain addresses, which requires a dot or colon within a word.
func (d domains) likely(s string) bool {
	for i := 0; i < len(s); i++ {
		n := strings.IndexAny(s[i:], ".:")
		if n < 0 {
			return false
		}
		if i += n; i > 0 && i+1 < len(s) && !space(s[i+1]) && !space(s[i-1]) {
			return true
		}
	}
	return false
}

// nextStart returns the first position at or after at where an address may begin.
func nextStart(s string, at int) int {
	for at < len(s) {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if size == 0 || unicode.IsSpace(r) || strings.ContainsRune(`'"(,:<`, r) {
			return at
		}
		_, size = utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// maxAddress limits the length of an address, in bytes, and the lookahead from each possible start.
const maxAddress = 2048

// address returns the length of the address at the start of s, or 0.
func (d domains) address(s string) int {
	if len(s) < 4 {
		return 0
	}
	host := 0 // offset of the host, after a scheme
	var rest int
	switch {
	case strings.HasPrefix(s, "http://"), strings.HasPrefix(s, "https://"):
		host = strings.Index(s, "//") + 2
		rest = host + hostLength(s[host:])
		if rest == host {
			return 0
		}
	case strings.HasPrefix(s, "bitcoin:"):
		n := 8
		for n < len(s) && alnum(s[n]) {
			n++
		}
		if n-8 < 26 || n-8 > 35 || s[8] != '1' && s[8] != '3' || !ended(s[n:]) {
			return 0
		}
		return n
	default:
		n, mail := d.domain(s)
		if n == 0 {
			return 0
		}
		if mail {
			if !ended(s[n:]) {
				return 0
			}
			return n
		}
		rest = n
	}
	if rest < len(s) && s[rest] == '/' || host > 0 && rest < len(s) && (s[rest] == '?' || s[rest] == '#') {
		return withPath(s, rest)
	}
	if host > 0 {
		for rest > host && strings.IndexByte(".:", s[rest-1]) >= 0 { // punctuation ending the sentence
			rest--
		}
	}
	if !ended(s[rest:]) || rest == host {
		return 0
	}
	return rest
}

// hostLength returns the length of a possible host with user and port at the start of s. It allows braces, which users
// write as placeholders.
func hostLength(s string) int {
	for i, r := range s {
		if !wordRune(r) && !unicode.IsMark(r) && !strings.ContainsRune(".:@-%{}", r) || i > maxAddress {
			return i
		}
	}
	return len(s)
}

// domain returns the length of an email address at the start of s, or of a domain with a public ending and optional
// port.
func (d domains) domain(s string) (n int, mail bool) {
	end := len(s)
	for i, r := range s {
		if !wordRune(r) && !unicode.IsMark(r) && !strings.ContainsRune(".@-+", r) || i > 320 {
			end = i
			break
		}
	}
	name := strings.TrimRight(s[:end], ".")
	user, host, mail := strings.Cut(name, "@")
	if !mail {
		user, host = "-", name
	}
	point := strings.LastIndexByte(host, '.')
	if user == "" || point < 1 || host[0] == '.' || strings.ContainsAny(host, "@+") || strings.Contains(name, "..") ||
		!d[strings.ToLower(host[point+1:])] {
		return 0, false
	}
	end = len(name)
	if !mail && end+1 < len(s) && s[end] == ':' && '0' <= s[end+1] && s[end+1] <= '9' {
		for end++; end < len(s) && end < len(name)+6 && '0' <= s[end] && s[end] <= '9'; {
			end++
		}
	}
	return end, mail
}

// closing lists the characters that may occur between an address and the following white space.
const closing = `!:;?),.'">`

// ended reports whether an address can end before s.
func ended(s string) bool {
	for i, r := range s {
		if unicode.IsSpace(r) {
			return true
		}
		if !strings.ContainsRune(closing, r) || i > maxAddress {
			return false
		}
	}
	return true
}

// withPath returns the end of an address whose path begins at start, or 0. The address extends to the next white space,
// without closing punctuation. Its parentheses must be balanced, with at most six levels.
func withPath(s string, start int) int {
	end := len(s)
	for i, r := range s[start:] {
		if r == '\x02' || i > maxAddress {
			return 0
		}
		if unicode.IsSpace(r) {
			end = start + i
			break
		}
	}
	least := end
	for least > start && strings.IndexByte(closing, s[least-1]) >= 0 {
		least--
	}
	depth := 0
	for i := start; i < end; i++ {
		if i >= least && depth == 0 {
			return i
		}
		switch s[i] {
		case '(':
			if depth++; depth > 6 {
				return 0
			}
		case ')':
			if depth--; depth < 0 {
				return 0
			}
		case '"':
			return 0
		}
	}
	if depth != 0 {
		return 0
	}
	return end
}
