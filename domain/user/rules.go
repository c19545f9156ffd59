package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// The values of email_address_visibility: who may know the real address (users-and-groups.md §3).
const (
	EveryoneSees  = 1
	MembersSee    = 2
	AdminsSee     = 3
	NobodySees    = 4
	ModeratorsSee = 5
)

// MaxName is the longest full name, in code points.
const MaxName = 100

// CheckName gives the form in which a full name is kept. Errors: BadRequest (users-and-groups.md §2).
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", errs.Bad("Name must not be empty!")
	case n > MaxName:
		return "", errs.Bad("Name too long!")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, badInName) || !strings.ContainsFunc(name, seenInName):
		return "", errs.Bad("Invalid characters in name!")
	case endsLikeMention(name):
		return "", errs.Bad("Invalid format!")
	}
	return name, nil
}

// badInName tells whether r has a meaning in Markdown, or none but to make a name look like another: characters that control, turn
// the text around, or are not seen. Joiners are parts of words and emoji.
func badInName(r rune) bool {
	return strings.ContainsRune("*`\\>\"@", r) || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) && r != '\u200c' && r != '\u200d'
}

func seenInName(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) }

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
		strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") || !plausibleHost(host) {
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
