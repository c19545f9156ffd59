package markdown

import "strings"

// declared returns the language that the first line of code names, and the code to show. The line is :::word or
// #!word, which is not part of the code, or the path of an interpreter, which is. Lines that name no known language are
// code.
func (l *lexers) declared(code string) (word, rest string, ok bool) {
	first, rest, _ := strings.Cut(code, "\n")
	first = strings.TrimRight(first, " ")
	command, script := strings.CutPrefix(first, "#!")
	if script && strings.ContainsAny(command, "/ ") {
		word, ok = l.interpreter(command)
		return word, code, ok
	}
	if !script {
		if command = strings.TrimLeft(first, ":"); len(first)-len(command) < 2 {
			return "", code, false
		}
	}
	word = strings.ToLower(command)
	if rest = strings.Trim(rest, "\n"); rest == "" || !l.has(word) {
		return "", code, false
	}
	return word, rest, true
}

// interpreter returns the language of a command such as /usr/bin/python3.12 or /usr/bin/env -S node --harmony.
func (l *lexers) interpreter(command string) (word string, ok bool) {
	for part := range strings.FieldsSeq(command) {
		name := strings.ToLower(part[strings.LastIndexByte(part, '/')+1:])
		if name == "env" || strings.HasPrefix(part, "-") || strings.Contains(part, "=") {
			continue
		}
		if name == "node" || name == "nodejs" {
			name = "javascript"
		}
		if !l.has(name) {
			name = strings.TrimRight(name, "0123456789.-")
		}
		return name, l.has(name)
	}
	return "", false
}

func (l *lexers) has(word string) bool {
	_, ok := l.byWord[word]
	return ok
}
