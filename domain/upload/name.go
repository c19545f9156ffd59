package upload

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unnamed replaces names that are empty after cleaning.
const unnamed = "uploaded-file"

const (
	maxPathName    = 255 // bytes of the last segment of a path ID
	maxDisplayName = 255 // code points
)

// DisplayName returns the name of an uploaded file for display: the name in the request, percent-decoded, without
// control and bidirectional characters.
func DisplayName(sent string) string {
	if decoded, err := url.PathUnescape(sent); err == nil && utf8.ValidString(decoded) {
		sent = decoded
	}
	sent = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || isDeceptive(r) {
			return -1
		}
		return r
	}, sent))
	if runes := []rune(sent); len(runes) > maxDisplayName {
		sent = string(runes[:maxDisplayName])
	}
	if sent == "" || sent == "." || sent == ".." {
		return unnamed
	}
	return sent
}

// isDeceptive reports whether a character ends the line or reverses what follows, so that "exe.gpj" reads as "jpg.exe".
func isDeceptive(r rune) bool {
	return r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// PathName reduces a display name, normalized to NFKC, to characters allowed in a path: letters, digits and "_.-".
// Long names keep their extension.
func PathName(display string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.TrimSpace(display) {
		switch {
		case r == ' ' || r == '-':
			if !gap {
				b.WriteByte('-')
			}
			gap = true
			continue
		case r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		default:
			continue
		}
		gap = false
	}
	name := shorten(b.String())
	if strings.Trim(name, "-") == "" || name == "." || name == ".." {
		return unnamed
	}
	return name
}

func shorten(name string) string {
	if len(name) <= maxPathName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > maxPathName/4 {
		ext = ""
	}
	return cut(name, maxPathName-len(ext)) + ext
}

// cut returns the first n bytes of s, or fewer to avoid splitting a character.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
