package slack

import "strings"

// escape returns a line of plain text as Markdown that shows the same. Characters that would format are written as
// entities, since Markdown here has no escapes with backslashes. start: the line begins with it.
func escape(line string, start bool) string {
	var b strings.Builder
	if start {
		line = escapeStart(&b, line)
	}
	links := strings.Contains(line, "](")
	for i := range len(line) {
		c := line[i]
		entity := ""
		switch c {
		case '*':
			if !blankAt(line, i-1) || !blankAt(line, i+1) || i == 0 && start {
				entity = "&#42;"
			}
		case '`':
			entity = "&#96;"
		case '~':
			if at(line, i-1) == '~' || at(line, i+1) == '~' {
				entity = "&#126;"
			}
		case '$':
			if at(line, i-1) == '$' || at(line, i+1) == '$' {
				entity = "&#36;"
			}
		case '[':
			if links {
				entity = "&#91;"
			}
		case '<':
			if strings.HasPrefix(line[i:], "<time:") {
				entity = "&lt;"
			}
		case '&':
			if isEntity(line[i:]) {
				entity = "&amp;"
			}
		}
		if entity != "" {
			b.WriteString(entity)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapeStart writes the beginning of a line if it would make a block of the line, and returns the rest.
func escapeStart(b *strings.Builder, line string) string {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if indent >= 4 { // code
		b.WriteString(strings.Repeat("\u00a0", indent))
	} else {
		b.WriteString(line[:indent])
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	hashes := len(rest) - len(strings.TrimLeft(rest, "#"))
	switch {
	case rest == "":
	case digits > 0 && strings.HasPrefix(rest[digits:], ". "):
		b.WriteString(rest[:digits] + "&#46;")
		return rest[digits+1:]
	case hashes > 0 && strings.HasPrefix(rest[hashes:], " "):
		b.WriteString("&#35;")
		return rest[1:]
	case rest[0] == '>':
		b.WriteString("&gt;")
		return rest[1:]
	case strings.HasPrefix(rest, "- ") || len(rest) > 2 && strings.Trim(rest, "- ") == "":
		b.WriteString("&#45;")
		return rest[1:]
	case strings.HasPrefix(rest, "+ "):
		b.WriteString("&#43;")
		return rest[1:]
	case strings.HasPrefix(rest, "* "):
		b.WriteString("&#42;")
		return rest[1:]
	case len(rest) > 2 && strings.Trim(rest, "_ ") == "":
		b.WriteString("&#95;")
		return rest[1:]
	}
	return rest
}

// at returns a byte of a text, or 0 outside of it.
func at(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

func blankAt(s string, i int) bool { c := at(s, i); return c == ' ' || c == '\t' }

// isEntity reports whether a text begins with an entity of HTML.
func isEntity(s string) bool {
	end := strings.IndexByte(s[:min(len(s), 42)], ';')
	if end < 2 {
		return false
	}
	name := strings.TrimPrefix(s[1:end], "#")
	return name != "" && strings.Trim(name, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
