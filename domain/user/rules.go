package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// The values of email_address_visibility: who can see the real address.
const (
	EveryoneSees  = 1
	MembersSee    = 2
	AdminsSee     = 3
	NobodySees    = 4
	ModeratorsSee = 5
)

// MaxName is the maximum length of a full name in code points.
const MaxName = 100

// CheckName validates a full name and returns its stored form. Errors: BadRequest.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", errs.Bad("Name must not be empty!")
	case n > MaxName:
		return "", errs.Bad("Name too long!")
	case strings.ContainsAny(name, "*`\\>\"@") || FirstInvisible(name) > 0 || !strings.ContainsFunc(name, IsVisible):
		return "", errs.Bad("Invalid characters in name!")
	case endsLikeMention(name):
		return "", errs.Bad("Invalid format!")
	}
	return name, nil
}

// FirstInvisible returns the 1-based position of the first character of a name that is invisible or serves to imitate
// another name, or 0. Tags after a black flag are visible: they select the flag.
func FirstInvisible(name string) int {
	pos, flag := 0, false
	for i, r := range name {
		pos++
		flag = r == '\U0001f3f4' || flag && r >= 0xe0020 && r <= 0xe007f
		if !flag && hidden(r) || r == utf8.RuneError && !strings.HasPrefix(name[i:], "\uFFFD") {
			return pos
		}
	}
	return 0
}

// hidden reports whether r is a control, bidirectional or invisible character. Joiners and variation selectors are
// parts of words and emoji. Surrogates don't occur: in UTF-8 they are invalid bytes.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Co, unicode.Zl, unicode.Zp) ||
		IsInvisible(r) && r != '\u200c' && r != '\u200d' && !unicode.Is(unicode.Variation_Selector, r)
}

// blanks lists letters and symbols without a visible glyph, from Braille, music and hieroglyphs.
const blanks = "\u2800\U0001d159\U00013441\U00013442"

// IsInvisible reports whether r is invisible without being a space: format characters, selectors, fillers, and
// noncharacters.
func IsInvisible(r rune) bool {
	return strings.ContainsRune(blanks, r) ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Noncharacter_Code_Point)
}

// IsVisible reports whether r alone is visible: a name without such characters is blank. Unassigned code points may be
// newer emoji.
func IsVisible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Cn) && !IsInvisible(r)
}

// endsLikeMention reports whether the name ends in |digits, which identifies a user in a mention.
func endsLikeMention(name string) bool {
	i := strings.LastIndexByte(name, '|')
	return i >= 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == ""
}

// MaxEmail is the maximum length of an email address in bytes.
const MaxEmail = 254

// CheckEmail validates an address and returns its stored form. It requires what every mail system can deliver to: one
// @, no spaces, a plausible host. Errors: BadRequest.
func CheckEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	local, host, ok := strings.Cut(email, "@")
	if !ok || local == "" || len(local) > 64 || len(email) > MaxEmail || strings.Trim(local, localChars) != "" ||
		strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") ||
		!plausibleHost(host) {
		return "", errs.Bad("Enter a valid email address.")
	}
	return email, nil
}

const (
	letters    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	localChars = letters + "0123456789!#$%&'*+-/=?^_`{|}~."
)

func plausibleHost(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
			strings.Trim(label, letters+"0123456789-") != "" {
			return false
		}
	}
	return len(host) <= 253
}
