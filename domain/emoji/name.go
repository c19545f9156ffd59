package emoji

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// maxName is the maximum length of a name, in characters.
const maxName = 100

// CheckName validates a name and returns its stored form. Errors: BadRequest.
func CheckName(s string) (string, error) {
	name := strings.ReplaceAll(strings.TrimSpace(s), " ", "_")
	switch {
	case name == "":
		return "", errs.Bad("Emoji name is missing")
	case utf8.RuneCountInString(name) > maxName:
		return "", errs.Bad("Emoji name is too long (limit: %d characters)", maxName)
	case strings.Trim(name, "0123456789abcdefghijklmnopqrstuvwxyz_-") != "":
		return "", errs.Bad(
			"Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.",
		)
	case strings.HasSuffix(name, "_") || strings.HasSuffix(name, "-"):
		return "", errs.Bad("Emoji names must end with either a letter or digit.")
	}
	return name, nil
}
