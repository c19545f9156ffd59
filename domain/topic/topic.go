// Package topic is the names of topics: what may be one, when two are the same, and how the empty one is shown.
package topic

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// MaxLength is how many code points a name has at most; longer ones are cut.
const MaxLength = 60

// EmptyName is what clients that don't know the empty topic are shown, and may send, in its place
// (realm_empty_topic_display_name).
const EmptyName = "general chat"

// ResolvedPrefix begins the names of resolved topics.
const ResolvedPrefix = "✔ "

const ellipsis = "..."

// Key is what topics are compared by: they are the same in any case of letters. No topic has a NUL in it, and no
// database takes one: a name with it is given the key of none.
func Key(name string) string { return strings.ToLower(strings.ReplaceAll(name, "\x00", "\ufffd")) }

// Resolved tells whether a topic is marked as resolved. It takes names and keys.
func Resolved(name string) bool { return strings.HasPrefix(name, ResolvedPrefix) }

// Show gives the name as a client is to see it: one that does not know the empty topic gets a word for it.
func Show(name string, knowsEmpty bool) string {
	if name == "" && !knowsEmpty {
		return EmptyName
	}
	return name
}

// Meant gives the name that a client means: "(no topic)" and the word for the empty topic mean the empty topic.
func Meant(name string) string {
	if name == "(no topic)" || name == EmptyName {
		return ""
	}
	return name
}

// Clean makes a name of what a client sent: stripped, checked, cut to MaxLength. Errors: BadRequest.
func Clean(sent string) (string, error) {
	name := strings.TrimSpace(sent)
	n := 0
	for i := 0; i < len(name); n++ {
		r, size := utf8.DecodeRuneInString(name[i:])
		if !allowed(r, size) {
			return "", errs.Bad("Invalid character in topic, at position %d!", n+1)
		}
		i += size
	}
	if n > MaxLength {
		name = string([]rune(name)[:MaxLength-len(ellipsis)]) + ellipsis
	}
	return Meant(name), nil
}

// allowed refuses control characters, what is no character, and bytes that are not UTF-8, which surrogates are too.
func allowed(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1, unicode.Is(unicode.Cc, r):
		return false
	case r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE:
		return false
	}
	return true
}
