package importing

import "strings"

// EmojiName returns a valid name of a custom emoji for one of the source, or "" if nothing is left of it. A name that
// a Unicode emoji has gets the suffix _custom.
func EmojiName(name string, unicode func(string) bool) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, strings.Trim(CleanText(name), ": "))
	if strings.Trim(name, "_-") == "" {
		return ""
	}
	name = strings.Trim(name[:min(len(name), 80)], "-_")
	if unicode(name) {
		name += "_custom"
	}
	return name
}

// SkinTone splits the name of an emoji with a skin tone, as Slack writes it: "wave::skin-tone-3".
func SkinTone(name string) (base string, tone rune) {
	base, t, ok := strings.Cut(name, "::skin-tone-")
	if !ok || len(t) != 1 || t[0] < '2' || t[0] > '6' {
		return base, 0
	}
	return base, rune(0x1f3fb + int(t[0]-'2'))
}
