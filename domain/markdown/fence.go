package markdown

import "strings"

// Fence is a line that opens a fenced block (markdown.md §5).
type Fence struct {
	Marks    string // what closes it, alone on a line
	Language string // in lower case; "": none is named
	Header   string
}

// OpenFence reads an opening line: marks, a language, which may be written {.py}, and a header.
func OpenFence(line string) (Fence, bool) {
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return Fence{}, false
	}
	rest := strings.TrimLeft(line, line[:1])
	f := Fence{Marks: line[:len(line)-len(rest)]}
	if len(f.Marks) < 3 || strings.ContainsAny(rest, "`~") {
		return Fence{}, false
	}
	rest = strings.TrimSpace(rest)
	brace := strings.HasPrefix(rest, "{")
	word := rest
	if brace {
		word = strings.TrimPrefix(strings.TrimSpace(rest[1:]), ".")
	}
	n := 0
	for n < len(word) && ofLanguage(word[n]) {
		n++
	}
	f.Language, rest = strings.ToLower(word[:n]), word[n:]
	if brace {
		if rest = strings.TrimSpace(rest); !strings.HasPrefix(rest, "}") {
			return Fence{}, false
		}
		rest = rest[1:]
	}
	if f.Language == "" && strings.TrimSpace(rest) != "" || rest != "" && !brace && rest[0] != ' ' {
		return Fence{}, false
	}
	f.Header = strings.TrimSpace(rest)
	return f, true
}

func ofLanguage(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("_+-./#", c) >= 0
}
