// Package urltemplate implements URL templates (RFC 6570), all four levels, for string values: groups of a pattern or
// user input. Lists and maps are not supported, and without them the explode modifier has no effect. It is our own
// implementation because the domain, which uses only the standard library, must validate what the renderer expands.
package urltemplate

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// ErrInvalid reports an invalid template.
var ErrInvalid = errors.New("invalid URL template")

// Template is a parsed template.
type Template struct{ parts []part }

// part is an expression, or literal text if it has no variables.
type part struct {
	literal string // encoded
	how     operator
	vars    []variable
}

type variable struct {
	name   string
	prefix int // number of characters of the value to use; 0: all
}

// operator describes an expression type (RFC 6570, appendix A).
type operator struct {
	first, sep string
	named      bool
	ifEmpty    string // follows the name of an empty value
	reserved   bool   // reserved characters are not encoded
}

func operatorOf(c byte) (operator, bool) {
	switch c {
	case '+':
		return operator{sep: ",", reserved: true}, true
	case '#':
		return operator{first: "#", sep: ",", reserved: true}, true
	case '.':
		return operator{first: ".", sep: "."}, true
	case '/':
		return operator{first: "/", sep: "/"}, true
	case ';':
		return operator{first: ";", sep: ";", named: true}, true
	case '?':
		return operator{first: "?", sep: "&", named: true, ifEmpty: "="}, true
	case '&':
		return operator{first: "&", sep: "&", named: true, ifEmpty: "="}, true
	}
	return operator{sep: ","}, false
}

// Parse parses a template. Errors: ErrInvalid.
func Parse(s string) (Template, error) {
	var t Template
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i != 0 {
			if i < 0 {
				i = len(s)
			}
			t.parts = append(t.parts, part{literal: encode(s[:i], true)})
			s = s[i:]
			continue
		}
		end := strings.IndexByte(s, '}')
		if s[0] == '}' || end < 0 {
			return Template{}, ErrInvalid
		}
		p, err := expression(s[1:end])
		if err != nil {
			return Template{}, err
		}
		t.parts = append(t.parts, p)
		s = s[end+1:]
	}
	return t, nil
}

func expression(s string) (part, error) {
	if s == "" {
		return part{}, ErrInvalid
	}
	how, marked := operatorOf(s[0])
	if marked {
		s = s[1:]
	}
	p := part{how: how}
	for _, spec := range strings.Split(s, ",") {
		v, err := parseVariable(spec)
		if err != nil {
			return part{}, err
		}
		p.vars = append(p.vars, v)
	}
	return p, nil
}

func parseVariable(spec string) (variable, error) {
	name, length, cut := strings.Cut(spec, ":")
	v := variable{name: name}
	if cut {
		n, err := strconv.Atoi(length)
		if err != nil || n < 1 || n > 9999 || length[0] < '1' {
			return v, ErrInvalid
		}
		v.prefix = n
	} else {
		v.name = strings.TrimSuffix(name, "*")
	}
	if !validName(v.name) {
		return v, ErrInvalid
	}
	return v, nil
}

// validName reports whether s consists of letters, digits, underscores and percent triplets, with single dots
// between.
func validName(s string) bool {
	if s == "" || s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch {
		case letterOrDigit(s[i]) || s[i] == '_' || s[i] == '.':
		case triplet(s[i:]):
			i += 2
		default:
			return false
		}
	}
	return true
}

// Beginning returns the text before the first variable.
func (t Template) Beginning() string {
	if len(t.parts) == 0 {
		return ""
	}
	return t.parts[0].literal
}

// Variables returns the distinct names of the variables, sorted.
func (t Template) Variables() []string {
	var out []string
	for _, p := range t.parts {
		for _, v := range p.vars {
			out = append(out, v.name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Expand expands the template; value returns a variable's value and whether it is defined. It returns false if the
// URL would exceed limit bytes.
func (t Template) Expand(value func(name string) (string, bool), limit int) (string, bool) {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.literal)
		lead := p.how.first
		for _, v := range p.vars {
			s, defined := value(v.name)
			if !defined {
				continue
			}
			b.WriteString(lead)
			lead = p.how.sep
			if p.how.named {
				b.WriteString(v.name)
				if s == "" {
					b.WriteString(p.how.ifEmpty)
					continue
				}
				b.WriteByte('=')
			}
			b.WriteString(encode(v.cut(s), p.how.reserved))
			if b.Len() > limit {
				return "", false
			}
		}
	}
	return b.String(), b.Len() <= limit
}

func (v variable) cut(s string) string {
	if v.prefix == 0 {
		return s
	}
	n := 0
	for i := range s {
		if n == v.prefix {
			return s[:i]
		}
		n++
	}
	return s
}

// encode percent-encodes all but unreserved characters; with reserved set, also reserved characters and existing
// triplets are kept.
func encode(s string, reserved bool) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if letterOrDigit(c) || strings.IndexByte("-._~", c) >= 0 ||
			reserved && (strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 || triplet(s[i:])) {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// triplet reports whether s begins with a percent sign and two hexadecimal digits.
func triplet(s string) bool {
	return len(s) > 2 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func letterOrDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
