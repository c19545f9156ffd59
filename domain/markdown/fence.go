package markdown

import "strings"

// Fence is a line that opens a fenced block.
type Fence struct {
	Marks    string // the fence characters; a line of just these closes the block
	Language string // lower case; "" if absent
	Header   string // the text after the language
}

// OpenFence parses an opening line: three or more back-ticks or tildes, a language, which may be written .py or {.py},
// and a header, which may contain the other fence character but not its own.
func OpenFence(line string) (Fence, bool) {
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return Fence{}, false
	}
	rest := strings.TrimLeft(line, line[:1])
	f := Fence{Marks: line[:len(line)-len(rest)]}
	if len(f.Marks) < 3 || strings.Contains(rest, line[:1]) {
		return Fence{}, false
	}
	rest = strings.TrimSpace(rest)
	brace := strings.HasPrefix(rest, "{")
	if brace {
		rest = strings.TrimSpace(rest[1:])
	}
	if len(rest) > 1 && rest[0] == '.' && ofLanguage(rest[1]) {
		rest = rest[1:]
	}
	n := 0
	for n < len(rest) && ofLanguage(rest[n]) {
		n++
	}
	f.Language, rest = strings.ToLower(rest[:n]), rest[n:]
	if brace {
		if rest = strings.TrimSpace(rest); !strings.HasPrefix(rest, "}") {
			return Fence{}, false
		}
		rest = rest[1:]
	}
	f.Header = strings.TrimSpace(rest)
	if f.Language == "" && f.Header != "" {
		return Fence{}, false
	}
	return f, true
}

// HoldsText reports whether the content of the block is Markdown, in which further blocks may open. Code and formulas
// are opaque.
func (f Fence) HoldsText() bool {
	return f.Language == "quote" || f.Language == "quoted" || f.Language == "spoiler"
}

func ofLanguage(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("_+-./#", c) >= 0
}

// Block is a fenced block.
type Block struct {
	Fence
	Open, Close int     // lines of the fences; Close is the number of lines if the block is not closed
	Inner       []Block // blocks within the content, if it is text
}

// Blocks finds the fenced blocks in the lines of a text. A line of exactly the innermost open block's marks closes
// it; any other fence within text opens another block, even with the same marks if it names a language. A fence
// without a language takes defaultLanguage unless that is "text". The time is linear in the size of the text.
func Blocks(lines []string, defaultLanguage string) []Block {
	if defaultLanguage = strings.ToLower(strings.TrimSpace(defaultLanguage)); defaultLanguage == "text" {
		defaultLanguage = ""
	}
	open := []Block{{Fence: Fence{Language: "quote"}}} // the text itself, then the open blocks, outermost first
	closeBlock := func(at int) {
		last := len(open) - 1
		open[last].Close = at
		open[last-1].Inner = append(open[last-1].Inner, open[last])
		open = open[:last]
	}
	for i, line := range lines {
		if line == "" || line[0] != '`' && line[0] != '~' {
			continue
		}
		within := &open[len(open)-1]
		if strings.TrimRight(line, " \t\r") == within.Marks {
			closeBlock(i)
			continue
		}
		if !within.HoldsText() {
			continue
		}
		f, ok := OpenFence(line)
		if !ok {
			continue
		}
		if f.Language == "" {
			f.Language = defaultLanguage
		}
		open = append(open, Block{Fence: f, Open: i})
	}
	for len(open) > 1 {
		closeBlock(len(lines))
	}
	return open[0].Inner
}
