package inbound

import (
	"regexp"
	"strings"
)

// shortened follows a text that is longer than the limits.
const shortened = "\n\n(The rest of the email is too long.)"

// mark returns what stands in a text for a file of the email, as some mail clients write it as well.
func mark(ref string) string { return "[cid:" + ref + "]" }

// possibleMark returns what stands in a text for a file that the email may contain.
func possibleMark(ref string) string { return string(beginMark) + ref + string(endMark) }

// beginMark and endMark are private characters around the ID of a file.
const (
	beginMark = '\uE0F3'
	endMark   = '\uE0F4'
)

var possibleMarks = regexp.MustCompile(string(beginMark) + `([^` + string(endMark) + `]*)` + string(endMark))

// resolve replaces the marks of possible files by those of known ones, and removes the others.
func resolve(text string, known map[string]bool) string {
	return strings.TrimSpace(possibleMarks.ReplaceAllStringFunc(text, func(found string) string {
		ref := strings.Trim(found, string(beginMark)+string(endMark))
		if ref == "" || !known[ref] {
			return ""
		}
		return mark(ref)
	}))
}

// validRef reports whether the ID of a file can be part of a mark.
func validRef(ref string) bool {
	return ref != "" && len(ref) <= 200 && !strings.ContainsFunc(ref, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("[]<>", r)
	})
}
