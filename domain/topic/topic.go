// Package topic holds the rules for topic names: validity, equality, and display of the empty topic.
package topic

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// MaxLength is the maximum length of a name in code points. Longer names are truncated.
const MaxLength = 60

// EmptyName replaces the empty topic for clients that don't support it, which may also send it
// (realm_empty_topic_display_name).
const EmptyName = "general chat"

// ResolvedPrefix begins the names of resolved topics.
const ResolvedPrefix = "✔ "

const ellipsis = "..."

// Key returns the form in which topics are compared, ignoring case. NUL, which databases can't store, is replaced by a
// character that no topic contains.
func Key(name string) string { return strings.ToLower(strings.ReplaceAll(name, "\x00", "\ufffd")) }

// Resolved reports whether a topic, given by name or key, is marked as resolved.
func Resolved(name string) bool { return strings.HasPrefix(name, ResolvedPrefix) }

// Show returns the name to send to a client, which may not support the empty topic.
func Show(name string, knowsEmpty bool) string {
	if name == "" && !knowsEmpty {
		return EmptyName
	}
	return name
}

// Canonical returns the topic that a client means: "(no topic)" and EmptyName mean the empty topic.
func Canonical(name string) string {
	if name == "(no topic)" || name == EmptyName {
		return ""
	}
	return name
}

// Clean validates a name sent by a client and returns it trimmed and truncated to MaxLength. Errors: BadRequest.
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
	return Canonical(name), nil
}

// allowed reports whether a decoded rune is not a control character, a noncharacter or invalid UTF-8.
func allowed(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1, unicode.Is(unicode.Cc, r):
		return false
	case r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE:
		return false
	}
	return true
}
