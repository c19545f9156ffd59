package strength

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"io"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
)

// A word is one that people choose, with its place in the list where it is most frequent, counted from 1.
type word struct {
	text string
	rank float64
}

// A dictionary is a list of words, sorted by text, each once.
type dictionary []word

// words.gz contains the lists of zxcvbn 4.5.0 for Python, one in a line: words of the English Wikipedia, first names of
// women and men, passwords, surnames, and words of American films, each list with the most frequent ones first.
//
//go:embed words.gz
var lists []byte

const maxLists = 4 << 20 // bytes, more than all of them

// common returns the words that everybody's passwords are tried with. Reading their lists takes 0.1 s, which only a
// server where somebody chooses a password spends.
var common = sync.OnceValue(func() dictionary {
	unpacked, err := gzip.NewReader(bytes.NewReader(lists))
	if err != nil {
		panic("strength: lists of words: " + err.Error()) // part of the program
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, maxLists))
	if err != nil {
		panic("strength: lists of words: " + err.Error())
	}
	var all []word
	for list := range strings.Lines(string(text)) {
		all = append(all, ranked(strings.Fields(list))...)
	}
	return newDictionary(all)
})

func ranked(texts []string) []word {
	words := make([]word, len(texts))
	for i, text := range texts {
		words[i] = word{text, float64(i + 1)}
	}
	return words
}

func newDictionary(words []word) dictionary {
	slices.SortFunc(words, func(a, b word) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.rank, b.rank))
	})
	return slices.Clip(slices.CompactFunc(words, func(a, b word) bool { return a.text == b.text }))
}

// letters are those that characters stand for, as in p4$$w0rd.
var letters = map[rune]string{
	'4': "a", '@': "a", '8': "b", '(': "c", '{': "c", '[': "c", '<': "c", '3': "e", '6': "g", '9': "g",
	'1': "il", '!': "i", '|': "il", '7': "lt", '0': "o", '$': "s", '5': "s", '+': "t", '%': "x", '2': "z",
}

// matches returns the parts of a password that are words, also in capital letters and with characters for letters.
func (d dictionary) matches(password []rune) []match {
	var found []match
	for start := range password {
		d.walk(password, start, nil, func(text []rune, w word) {
			token := password[start : start+len(text)]
			found = append(found, match{start, start + len(text), w.rank * capitals(token) * substitutes(token, text)})
		})
	}
	return found
}

// walk finds words that begin at a place of a password, of which it has read text. The words that begin with text are
// next to each other in the dictionary; there are fewer with each character, which bounds the walk.
func (d dictionary) walk(password []rune, start int, text []rune, found func([]rune, word)) {
	if at := start + len(text); at < len(password) {
		for _, r := range string(unicode.ToLower(password[at])) + letters[password[at]] {
			longer := append(slices.Clip(text), r)
			if rest := d.with(string(longer)); len(rest) > 0 {
				if rest[0].text == string(longer) {
					found(longer, rest[0])
				}
				rest.walk(password, start, longer, found)
			}
		}
	}
}

// with returns the part of the dictionary whose words begin so.
func (d dictionary) with(prefix string) dictionary {
	from := sort.Search(len(d), func(i int) bool { return d[i].text >= prefix })
	n := sort.Search(len(d)-from, func(i int) bool { return !strings.HasPrefix(d[from+i].text, prefix) })
	return d[from : from+n]
}

// reversed returns the parts of a password that are words written backwards.
func (d dictionary) reversed(password []rune) []match {
	turned := slices.Clone(password)
	slices.Reverse(turned)
	found := d.matches(turned)
	for i, m := range found {
		found[i] = match{len(password) - m.to, len(password) - m.from, 2 * m.guesses}
	}
	return found
}

// capitals returns in how many ways somebody may have written a word with so many capital letters.
func capitals(token []rune) float64 {
	upper, lower := 0, 0
	for _, r := range token {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	ends := unicode.IsUpper(token[0]) || unicode.IsUpper(token[len(token)-1])
	switch {
	case upper == 0:
		return 1
	case lower == 0, upper == 1 && ends:
		return 2
	}
	return ways(upper, lower)
}

// substitutes returns in how many ways characters may stand for the letters of a word as they do in the token.
func substitutes(token, text []rune) float64 {
	n := 1.0
	counted := map[rune]bool{}
	for i, letter := range text {
		character := token[i]
		if unicode.ToLower(character) == letter || counted[character] {
			continue
		}
		counted[character] = true
		used, unused := 0, 0
		for i, r := range text {
			switch {
			case token[i] == character:
				used++
			case r == letter && unicode.ToLower(token[i]) == letter:
				unused++
			}
		}
		n *= ways(used, unused)
	}
	return n
}

// ways returns in how many ways at most a of a+b things are chosen, but at least one, or at most b if these are fewer;
// and 2 if all of them are.
func ways(a, b int) float64 {
	if a == 0 || b == 0 {
		return 2
	}
	n := 0.0
	for i := 1; i <= min(a, b); i++ {
		n += choose(a+b, i)
	}
	return n
}

// choose returns in how many ways k of n things are chosen.
func choose(n, k int) float64 {
	if k > n {
		return 0
	}
	r := 1.0
	for d := 1; d <= k; d++ {
		r *= float64(n-d+1) / float64(d)
	}
	return math.Round(r)
}
