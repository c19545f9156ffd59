package user

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// The minimum length of passwords in code points, unless the server is configured otherwise, and the maximum length.
const (
	MinPassword = 8
	MaxPassword = 100
)

// CheckPassword refuses passwords of fewer than minLength code points, those that are too long, equal to the address, a
// repeated character or a sequence, or among the most common ones. Pages and clients show these rules beside fields for
// new passwords. ports.Passwords checks more. Errors: BadRequest.
func CheckPassword(password, email string, minLength int) error {
	local, _, _ := strings.Cut(EmailKey(email), "@")
	lower := strings.ToLower(password)
	switch {
	case PasswordTooLong(password):
		return errs.Bad("Password is too long.")
	case utf8.RuneCountInString(password) < minLength:
		return errs.Bad("The password must have at least %d characters.", minLength)
	case lower == EmailKey(email),
		lower == local,
		isSequence(lower),
		isCommon(lower):
		return WeakPassword()
	}
	return nil
}

// WeakPassword is the error about a password that is easy to guess. Errors: BadRequest.
func WeakPassword() error {
	return errs.Bad("The password is too easy to guess. Make it longer, or combine several unusual words.")
}

// BreachedPassword is the error about a password in a list of those that others have found. Errors: BadRequest.
func BreachedPassword() error {
	return errs.Bad("This password is known from data breaches of other services. Choose another one.")
}

// PasswordTooLong reports whether a password is longer than any valid one.
func PasswordTooLong(password string) bool {
	return len(password) > MaxPassword*utf8.UTFMax || utf8.RuneCountInString(password) > MaxPassword
}

// isSequence reports whether all steps between characters are the same, up, down or none, with 0 following 9.
func isSequence(s string) bool {
	for _, step := range []int{0, 1, -1} {
		last, same := rune(0), true
		for _, r := range s {
			same = same && (last == 0 || r == last+rune(step) || step == 1 && last == '9' && r == '0')
			last = r
		}
		if same {
			return true
		}
	}
	return false
}

// isCommon reports whether a password, in lower case, is a common one, or one followed by a few digits or marks.
func isCommon(s string) bool {
	base := strings.TrimRight(s, "0123456789!?.")
	return slices.Contains(common, s) || len(s)-len(base) <= maxSuffix && slices.Contains(common, base)
}

const maxSuffix = 4

var common = strings.Fields(
	`
	password passwort passw0rd p@ssw0rd p@ssword qwerty qwertz azerty qwertyuiop qwertzuiop asdfgh asdfghjkl
	zxcvbn zxcvbnm 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx qazwsx 123qwe qwe123 abc123 123abc 123123 121212 112233
	123321 111222 102030 696969 iloveyou letmein welcome monkey dragon sunshine princess football baseball
	superman batman master shadow michael trustno1 admin administrator secret changeme default test login hello
	whatever starwars computer internet google freedom charlie jordan pokemon`,
)
