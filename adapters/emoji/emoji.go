// Package emoji looks up Unicode emoji. Names come from the Unicode standard and from GitHub, through maintained
// packages; the names that chat clients use (names.txt) take precedence.
package emoji

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/forPelevin/gomoji"
	"github.com/yuin/goldmark-emoji/definition"

	"github.com/stoachat/stoa/ports"
)

// clients holds a line for each emoji known to chat clients: its code, its canonical name and its other names.
//
//go:embed names.txt
var clients string

type set struct {
	codes  map[string]string // by name
	names  map[string]string // canonical, by code
	github definition.Emojis
}

// all is built on first use, because building it would be the slowest part of starting a server.
var all = sync.OnceValue(read)

// New returns the set of known emoji.
func New() ports.Emoji { return all() }

func read() *set {
	s := &set{codes: map[string]string{}, names: map[string]string{}, github: definition.Github()}
	for line := range strings.Lines(clients) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		s.names[words[0]] = words[1]
		for _, name := range words[1:] {
			s.codes[name] = words[0]
		}
	}
	standard := gomoji.AllEmojis() // unordered and with duplicates
	slices.SortFunc(standard, func(a, b gomoji.Emoji) int {
		return cmp.Or(cmp.Compare(a.Slug, b.Slug), cmp.Compare(a.CodePoint, b.CodePoint))
	})
	for _, e := range standard {
		name, code := nameOf(e.Slug), codeOf([]rune(e.Character))
		if strings.HasSuffix(name, "_skin_tone") {
			continue // clients choose skin tones
		}
		if _, taken := s.codes[name]; !taken {
			s.codes[name] = code
		}
		if _, named := s.names[code]; !named && s.codes[name] == code {
			s.names[code] = name
		}
	}
	return s
}

// Code implements ports.Emoji.
func (s *set) Code(name string) (string, bool) {
	if code, ok := s.codes[name]; ok {
		return code, true
	}
	e, ok := s.github.Get(name)
	if !ok || !e.IsUnicode() {
		return "", false
	}
	code := codeOf(e.Unicode)
	_, known := s.names[code]
	return code, known
}

// Name implements ports.Emoji.
func (s *set) Name(code string) (string, bool) {
	name, ok := s.names[code]
	return name, ok
}

// nameOf converts a name of the standard to one that can be written between colons.
func nameOf(slug string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return -1
	}, strings.NewReplacer("-", "_", "&", "and").Replace(slug))
}

// codeOf returns an emoji's code: its code points in hex, joined by dashes, without variation selectors.
func codeOf(rs []rune) string {
	parts := make([]string, 0, len(rs))
	for _, r := range rs {
		if r != 0xfe0f {
			parts = append(parts, fmt.Sprintf("%04x", r))
		}
	}
	return strings.Join(parts, "-")
}
