package kernel

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/stoachat/stoa/domain/user"
)

// nameKey returns the comparison key of a name. Names that look alike share a key: it ignores case, Unicode forms,
// invisible characters and repeated spaces. nameKey is idempotent, and names that are equal in lower case have the same
// key. Rows written when only lower case was compared therefore never block another name.
//
// Each view carries the function, so that creating, finding and comparing names follow one rule on every node, while
// domain needs no library for Unicode tables.
func nameKey(name string) string {
	key := user.NameKey(name)
	plain := !strings.Contains(key, "  ")
	for i := range len(key) {
		plain = plain && key[i] < unicode.MaxASCII
	}
	if plain {
		return key
	}
	seen := strings.Map(func(r rune) rune {
		if user.Unseen(r) {
			return -1
		}
		return r
	}, name)
	// Lower case comes second because folding maps Cherokee letters to upper case.
	folded := norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKD.String(seen))))
	return norm.NFKC.String(strings.Join(strings.Fields(dotless(folded)), " "))
}

// dotless removes the dots above the letter i, which has one anyway: İ and i differ only in case.
func dotless(decomposed string) string {
	base := rune(0)
	return strings.Map(func(r rune) rune {
		switch {
		case !unicode.Is(unicode.Mn, r):
			base = r
		case r == '\u0307' && base == 'i':
			return -1
		}
		return r
	}, decomposed)
}
