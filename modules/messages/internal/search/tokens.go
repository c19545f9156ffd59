package search

import (
	"strings"
	"unicode/utf8"
)

// Minimum and maximum length of the prefixes in the index, in characters. Longer prefixes are looked up by their first
// maxPrefix characters.
const (
	minPrefix = 3
	maxPrefix = 6
)

// prefixMark marks prefixes in the index. It does not occur in words.
const prefixMark = "ˇ"

// prefixesOf appends the indexed prefixes of a word to a list.
func prefixesOf(out []string, w string) []string {
	n := 0
	for i := range w {
		if n >= minPrefix {
			out = append(out, prefixMark+w[:i])
		}
		if n++; n > maxPrefix {
			break
		}
	}
	return out
}

// Tokens returns a text's index entry: each word, its stem and its prefixes; the pairs of words that are joined by
// signs, and words with their signs; and for dense scripts each unit and each pair of adjacent units. The tokens are
// distinct and separated by spaces.
func Tokens(text string) string { return new(Tokenizer).Tokens(text) }

// Tokenizer computes the index entries of many texts. It remembers the tokens of words, most of which recur.
type Tokenizer struct {
	known  map[string][]string
	seen   map[string]bool
	folder folder
	out    strings.Builder
}

// Limits of what a Tokenizer remembers.
const (
	maxKnown     = 50_000 // words
	maxKnownWord = 32     // bytes per word
)

// Tokens is like the function Tokens.
func (k *Tokenizer) Tokens(source string) string {
	if k.known == nil {
		k.known, k.seen = map[string][]string{}, map[string]bool{}
	}
	clear(k.seen)
	k.out = strings.Builder{}
	k.folder.text, k.folder.last = k.folder.text[:0], 0
	k.folder.add(source, 0)
	text := string(k.folder.text)
	var sign, left piece // the last signs and the word before them
	for p := range pieces(text) {
		switch p.kind {
		case denseText:
			k.dense(text[p.from:p.to])
		case word:
			for _, t := range k.tokensOf(text[p.from:p.to]) {
				k.emit(t)
			}
			if sign.to == p.from {
				k.joined(text, left, sign, p)
			}
			left = p
			continue
		case signs:
			if sign = p; left.to == p.from && left.to > 0 {
				inside := p.to < len(text) && beginsWord(text[p.to:])
				for s := range after(text[p.from:p.to], inside) {
					k.emit(afterToken(text[left.from:left.to], s))
				}
			}
		}
	}
	return k.out.String()
}

// joined emits the tokens of signs before a word, and of the word before them.
func (k *Tokenizer) joined(text string, left, sign, right piece) {
	run, w := text[sign.from:sign.to], text[right.from:right.to]
	if run == "" {
		return
	}
	inside := left.to > 0 && left.to == sign.from
	if inside && joins(run) {
		k.emit(pairToken(text[left.from:left.to], run, w))
	}
	for s := range before(run, inside) {
		k.emit(beforeToken(s, w))
	}
}

// dense emits the tokens of a run of dense characters.
func (k *Tokenizer) dense(run string) {
	last := ""
	for u := range units(run) {
		k.emit(u)
		if last != "" {
			k.emit(last + u)
		}
		last = u
	}
}

func (k *Tokenizer) emit(token string) {
	if k.seen[token] {
		return
	}
	k.seen[token] = true
	if k.out.Len() > 0 {
		k.out.WriteByte(' ')
	}
	k.out.WriteString(token)
}

// tokensOf returns the tokens of a word, including its prefixes. They may be repeated.
func (k *Tokenizer) tokensOf(w string) []string {
	if known, ok := k.known[w]; ok {
		return known
	}
	if len(w) <= maxKnownWord {
		w = strings.Clone(w) // not a part of the text
	}
	w = clip(w, maxWord)
	out := prefixesOf([]string{w}, w)
	if s := stem(w); s != w {
		out = prefixesOf(append(out, s), s)
	}
	if len(k.known) == maxKnown {
		clear(k.known)
	}
	if len(w) <= maxKnownWord {
		k.known[w] = out
	}
	return out
}

// termOf returns the condition that a text contains a folded word.
func termOf(w string) Term {
	t := Term{Exact: []string{w}}
	if s := stem(w); s != w {
		t.Exact = append(t.Exact, s)
	}
	if utf8.RuneCountInString(w) >= minPrefix {
		t.Prefix = w
	}
	return t
}
