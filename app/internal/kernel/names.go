package kernel

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/stoachat/stoa/domain/user"
)

// nameKey returns the key by which names are compared. Names that look alike have the same key: it ignores case,
// Unicode forms, invisible characters and repeated spaces. nameKey is idempotent, and names that are equal in lower
// case have the same key, so rows written when only lower case was compared never block another name.
//
// Each view contains this function, so that names are created, found and compared by one rule on every node, while
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
	visible := strings.Map(func(r rune) rune {
		if user.IsInvisible(r) {
			return -1
		}
		return r
	}, name)
	// Lower case comes second, since folding maps Cherokee letters to upper case.
	folded := norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKD.String(visible))))
	return norm.NFKC.String(strings.Join(strings.Fields(dotless(folded)), " "))
}

// dotless removes the combining dot above the letter i, which has a dot anyway: İ and i differ only in case.
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
