package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// The values of email_address_visibility: who may know the real address.
const (
	EveryoneSees  = 1
	MembersSee    = 2
	AdminsSee     = 3
	NobodySees    = 4
	ModeratorsSee = 5
)

// MaxName is the longest full name, in code points.
const MaxName = 100

// CheckName gives the form in which a full name is kept. Errors: BadRequest.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", errs.Bad("Name must not be empty!")
	case n > MaxName:
		return "", errs.Bad("Name too long!")
	case strings.ContainsAny(name, "*`\\>\"@") || Unshown(name) > 0 || !strings.ContainsFunc(name, Seen):
		return "", errs.Bad("Invalid characters in name!")
	case endsLikeMention(name):
		return "", errs.Bad("Invalid format!")
	}
	return name, nil
}

// Unshown gives the 1-based position of the first character of a name that can't be shown, or is there to make the name look like
// another; 0 if there is none. The tags after a black flag are shown: they say whose it is.
func Unshown(name string) int {
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

// hidden tells whether r controls, turns the text around, or is not seen. Joiners and selectors are parts of words and emoji.
// Surrogates never get here: in UTF-8 they are broken bytes.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Co, unicode.Zl, unicode.Zp) ||
		Unseen(r) && r != '\u200c' && r != '\u200d' && !unicode.Is(unicode.Variation_Selector, r)
}

// blanks are letters and symbols that are drawn as nothing: of Braille, music and hieroglyphs.
const blanks = "\u2800\U0001d159\U00013441\U00013442"

// Unseen tells whether nothing is seen of r, and it is no space: marks of format, selectors, fillers, and what is no character.
func Unseen(r rune) bool {
	return strings.ContainsRune(blanks, r) ||
		unicode.In(
			r,
			unicode.Cf,
			unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point,
			unicode.Noncharacter_Code_Point,
		)
}

// Seen tells whether there is something to see of r alone: a name of others only is blank. What Unicode did not know when this was
// built may be an emoji.
func Seen(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Cn) && !Unseen(r)
}

// endsLikeMention tells whether the name ends in |digits, which in a mention names a user by id.
func endsLikeMention(name string) bool {
	i := strings.LastIndexByte(name, '|')
	return i >= 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == ""
}

// MaxEmail is the longest e-mail address, in bytes.
const MaxEmail = 254

// CheckEmail gives the form in which an address is kept. It asks for what every mail system can deliver to: one @, no
// spaces, a plausible host. Errors: BadRequest.
func CheckEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	local, host, ok := strings.Cut(email, "@")
	if !ok || local == "" || len(local) > 64 || len(email) > MaxEmail || strings.Trim(local, localChars) != "" ||
		strings.HasPrefix(
			local,
			".",
		) || strings.HasSuffix(local, ".") || strings.Contains(local, "..") || !plausibleHost(host) {
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
