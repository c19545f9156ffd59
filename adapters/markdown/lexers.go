package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"github.com/stoachat/stoa/adapters/markdown/highlight"
	"github.com/stoachat/stoa/adapters/markdown/languages"
)

// lexers maps the words after a fence to languages.
type lexers struct {
	*highlight.Highlighter
	byWord map[string]language
}

// language holds a language's display name and its lexer, or nil if there is none.
type language struct {
	name  string
	lexer chroma.Lexer
}

// newLexers combines the language names of Pygments, which clients expect, with the lexers of Chroma. A Pygments lexer
// is mapped to the Chroma lexer of the same name, or to the first one that shares an alias, or to a combination of two
// if an alias names both, such as css+php. A language that only Chroma supports is named by the word itself.
func newLexers() *lexers {
	l := &lexers{highlight.New(), make(map[string]language, 1500)}
	painting := map[string]chroma.Lexer{}
	for _, x := range l.Lexers() {
		for _, word := range append([]string{x.Config().Name}, x.Config().Aliases...) {
			painting[strings.ToLower(word)] = x
		}
	}
	for word, x := range painting {
		l.byWord[word] = language{word, x}
	}
	for _, one := range languages.All() {
		lexer := painting[strings.ToLower(one.Name)]
		for _, alias := range one.Aliases {
			if lexer == nil {
				lexer = painting[alias]
			}
		}
		for _, alias := range one.Aliases {
			if lexer == nil {
				lexer = l.combined(painting, alias)
			}
		}
		for _, alias := range one.Aliases {
			l.byWord[alias] = language{one.Name, lexer}
		}
	}
	return l
}

// combined returns the lexer for a word such as css+php, which names a language and a template language within it. If
// there is no lexer for the latter, it returns the lexer of the former, and nil if there is none for either.
func (l *lexers) combined(painting map[string]chroma.Lexer, word string) chroma.Lexer {
	host, template, ok := strings.Cut(word, "+")
	if !ok || strings.Trim(template, "abcdefghijklmnopqrstuvwxyz0123456789") != "" { // such as c++-objdumb
		return nil
	}
	switch host {
	case "py":
		host = "python"
	case "xul":
		host = "xml"
	}
	switch template { // to the name of the lexer that leaves the text around the templates to another one
	case "php":
		template = "phtml"
	case "ruby":
		template = "erb"
	case "genshi":
		template = "genshitext"
	case "spitfire":
		template = "cheetah"
	case "ng2":
		template = "angular2"
	}
	x, inner := painting[host], painting[template]
	if x == nil || inner == nil {
		return x
	}
	both, err := l.Combine(x, inner)
	if err != nil { // the template language cannot be highlighted
		return x
	}
	return both
}
