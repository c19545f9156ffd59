package mattermost

import (
	"strconv"
	"strings"
)

// tones are the skin tones in the names of emoji, the longest first.
var tones = []struct {
	suffix string
	tone   rune
}{
	{"_medium_light_skin_tone", '\U0001f3fc'},
	{"_medium_dark_skin_tone", '\U0001f3fe'},
	{"_light_skin_tone", '\U0001f3fb'},
	{"_medium_skin_tone", '\U0001f3fd'},
	{"_dark_skin_tone", '\U0001f3ff'},
}

// splitTone splits the name of an emoji with a skin tone.
func splitTone(name string) (base string, tone rune) {
	for _, t := range tones {
		if base, ok := strings.CutSuffix(name, t.suffix); ok && base != "" {
			return base, t.tone
		}
	}
	return name, 0
}

// emojiOf returns the emoji with a code, such as "1f44b", if it consists of one character.
func emojiOf(code string) string {
	n, err := strconv.ParseUint(code, 16, 32)
	if err != nil || n > 0x10ffff {
		return ""
	}
	return string(rune(n))
}
