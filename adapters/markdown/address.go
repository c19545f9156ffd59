package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/xurls/v2"
)

// domains are the public top-level domains; those that are also endings of common files are left out.
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

// addresses finds bare URLs and e-mail addresses.
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

// likely tells whether it is worth while to look for addresses: a point or colon stands within a word.
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

// nextStart gives the next place at or after at where an address may begin.
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

// maxAddress is how long an address may be. It also bounds how far is looked ahead from each place where one may begin.
const maxAddress = 2048

// address gives the length of the address at the start of s; 0 if there is none.
func (d domains) address(s string) int {
	if len(s) < 4 {
		return 0
	}
	host := 0 // where it begins, after a scheme
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
		for rest > host && strings.IndexByte(".:", s[rest-1]) >= 0 { // the end of the sentence
			rest--
		}
	}
	if !ended(s[rest:]) || rest == host {
		return 0
	}
	return rest
}

// hostLength gives how much of s may be a host with user and port. Braces stand around what is still to be filled in.
func hostLength(s string) int {
	for i, r := range s {
		if !wordRune(r) && !unicode.IsMark(r) && !strings.ContainsRune(".:@-%{}", r) || i > maxAddress {
			return i
		}
	}
	return len(s)
}

// domain gives the length of a domain with a public ending at the start of s, with its port, or of an e-mail address.
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
	if user == "" || point < 1 || host[0] == '.' || strings.ContainsAny(host, "@+") || strings.Contains(name, "..") || !d[strings.ToLower(host[point+1:])] {
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

// closing are the characters that may stand between an address and the white space after it.
const closing = `!:;?),.'">`

// ended tells whether an address may end before s.
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

// withPath gives where an address with a path from start on ends; 0 if it is none. It goes to the white space, without
// what closes the sentence, but round brackets must match, at most six within each other.
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
