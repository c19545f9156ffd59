package kernel

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/stoachat/stoa/domain/user"
)

// nameKey gives what names have in common that people may take for the same: the letters in either case, in any of the
// forms that Unicode has for them, without what is not seen, and one space for several. The key of a key is the key
// itself, and names that are the same in lower case have one key, as they had when that was all that was compared: rows
// with keys of that time never stand in the way of another name.
//
// Each view carries it, so that whoever makes a name, looks one up or compares two has the same rule on every node, and
// none of them needs the tables of Unicode: domain has no libraries.
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
	// In lower case besides, since folding turns the letters of Cherokee round.
	folded := norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKD.String(seen))))
	return norm.NFKC.String(strings.Join(strings.Fields(dotless(folded)), " "))
}

// dotless takes the dots from above the letters i, which have one anyway: İ is i in another case.
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
