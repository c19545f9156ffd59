package smtpin

import (
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxToken limits a tag or text in HTML, in bytes.
const maxToken = 64 << 10

// pageText returns the text of HTML, with a line for each block, and ">" before quotes. It scans the tags without
// building a tree, so that nesting costs nothing.
func pageText(page io.Reader) string {
	t := html.NewTokenizer(page)
	t.SetMaxBuf(maxToken)
	var w pageWriter
	for {
		switch kind := t.Next(); kind {
		case html.ErrorToken:
			return strings.TrimSpace(w.text.String())
		case html.TextToken:
			if w.hidden == 0 {
				w.words(string(t.Text()))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := t.TagName()
			w.tag(atom.Lookup(name), kind)
		}
	}
}

// hiddenTags contain content that is not displayed, or not part of an email's text.
var hiddenTags = []atom.Atom{atom.Head, atom.Style, atom.Script, atom.Title, atom.Template, atom.Noscript, atom.Svg}

// blockTags begin and end lines.
var blockTags = []atom.Atom{
	atom.P, atom.Div, atom.Table, atom.Tr, atom.Ul, atom.Ol, atom.Li, atom.Pre, atom.Hr, atom.Blockquote, atom.Section,
	atom.Article, atom.Header, atom.Footer, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
}

// maxQuotes limits the quote marks at the beginning of a line.
const maxQuotes = 5

// pageWriter writes the text of HTML.
type pageWriter struct {
	text   strings.Builder
	hidden int // number of open hiddenTags
	quotes int
	begun  bool // the current line has words
	gap    bool // insert an empty line before the next word
	space  bool // insert a space before the next word
}

func (w *pageWriter) tag(name atom.Atom, kind html.TokenType) {
	step := 1
	if kind == html.EndTagToken {
		step = -1
	}
	switch {
	case slices.Contains(hiddenTags, name):
		if kind != html.SelfClosingTagToken {
			w.hidden = max(0, w.hidden+step)
		}
	case name == atom.Br:
		w.newline(true)
	case slices.Contains(blockTags, name):
		w.newline(false)
		w.gap = w.gap || name == atom.P
		if name == atom.Blockquote && kind != html.SelfClosingTagToken {
			w.quotes = max(0, w.quotes+step)
		}
		if name == atom.Li && kind == html.StartTagToken && w.hidden == 0 {
			w.words("• ")
		}
	case name == atom.Td || name == atom.Th:
		w.space = w.begun
	}
}

// newline ends the line. If empty is set, it also ends a line without words.
func (w *pageWriter) newline(empty bool) {
	if w.hidden == 0 && (w.begun || empty) {
		w.text.WriteByte('\n')
	}
	w.begun, w.space = false, false
}

func (w *pageWriter) words(text string) {
	for len(text) > 0 {
		i := strings.IndexAny(text, " \t\r\n\u00a0")
		word := text
		if i >= 0 {
			word = text[:i]
		}
		if word != "" {
			w.word(word)
		}
		if i < 0 {
			return
		}
		w.space = w.begun
		text = strings.TrimLeft(text[i:], " \t\r\n\u00a0")
	}
}

func (w *pageWriter) word(word string) {
	switch {
	case !w.begun:
		if w.gap && w.text.Len() > 0 {
			w.text.WriteByte('\n')
		}
		w.gap = false
		w.text.WriteString(strings.Repeat("> ", min(w.quotes, maxQuotes)))
	case w.space:
		w.text.WriteByte(' ')
	}
	w.text.WriteString(word)
	w.begun, w.space = true, false
}
