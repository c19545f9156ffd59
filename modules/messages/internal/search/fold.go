package search

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// place is the range of bytes [from, to) of a source text from which a byte of a folded text stems.
type place struct{ from, to int32 }

// folder folds texts, so that equal texts are those that a reader considers equal: it ignores case, accents,
// compatibility forms and invisible characters.
type folder struct {
	exact  bool    // ignore only case and the order of combining marks
	places []place // of each byte of text; nil if they are not needed
	text   []byte
	last   rune // the last character of text
}

// fold folds a text.
func fold(s string) string { return folded(s, false) }

// exactly folds only the case of a text.
func exactly(s string) string { return folded(s, true) }

func folded(s string, exact bool) string {
	f := folder{exact: exact, text: make([]byte, 0, len(s))}
	f.add(s, 0)
	return string(f.text)
}

// track makes the folder record places.
func (f *folder) track(size int) { f.places = make([]place, 0, size) }

// add folds a text that begins at an offset of the source.
func (f *folder) add(s string, at int) {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] < utf8.RuneSelf {
			i++
		}
		if i > start && f.exact && i < len(s) && combines(s[i:]) {
			i--
		}
		f.ascii(s[start:i], at+start)
		start = i
		if i < len(s) && s[i] < utf8.RuneSelf { // the letter of a mark
			i++
		}
		for i < len(s) && s[i] >= utf8.RuneSelf {
			i++
		}
		f.normalize(s[start:i], at+start)
	}
}

// ascii adds characters of ASCII, except the marks after them.
func (f *folder) ascii(s string, at int) {
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		f.text = append(f.text, c)
		if f.places != nil {
			f.places = append(f.places, place{int32(at + i), int32(at + i + 1)})
		}
		f.last = rune(c)
	}
}

func combines(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isMark(r)
}

// normalize adds a text after composing its characters.
func (f *folder) normalize(s string, at int) {
	if norm.NFC.IsNormalString(s) {
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			f.rune(r, at+i, at+i+size)
			i += size
		}
		return
	}
	var it norm.Iter
	for it.InitString(norm.NFC, s); !it.Done(); {
		from := it.Pos()
		for _, r := range string(it.Next()) {
			f.rune(r, at+from, at+it.Pos())
		}
	}
}

// rune adds a character of the source.
func (f *folder) rune(r rune, from, to int) {
	switch {
	case f.exact:
		f.put(lower(r), from, to)
	case f.invisible(r):
	case isAccent(r):
		f.extend(to)
	case !inWord(r):
		f.put(sign(r), from, to)
	default:
		f.letter(r, from, to)
	}
}

// letter adds a letter, digit or mark.
func (f *folder) letter(r rune, from, to int) {
	if 0x3041 <= r && r <= 0x30FE && r != 0x309F { // kana, whose marks distinguish them
		f.put(r, from, to)
		return
	}
	var buf [utf8.UTFMax]byte
	parts := norm.NFKD.Properties(utf8.AppendRune(buf[:0], r)).Decomposition()
	if parts == nil {
		f.base(r, from, to)
		return
	}
	base := rune(0)
	for _, p := range string(parts) {
		if !isMark(p) {
			base = p
		} else if !isAccent(p) || distinguishes(base, p) {
			for _, c := range norm.NFKC.String(string(r)) {
				f.base(c, from, to)
			}
			return
		}
	}
	for _, p := range string(parts) {
		if isAccent(p) {
			f.extend(to)
		} else {
			f.base(p, from, to)
		}
	}
}

// base adds a letter that has no accents.
func (f *folder) base(r rune, from, to int) {
	r = lower(r)
	other := plain(r)
	if other == "" {
		f.put(r, from, to)
	}
	for _, c := range other {
		f.put(c, from, to)
	}
}

func (f *folder) put(r rune, from, to int) {
	f.last = r
	before := len(f.text)
	f.text = utf8.AppendRune(f.text, r)
	if f.places != nil {
		for range len(f.text) - before {
			f.places = append(f.places, place{int32(from), int32(to)})
		}
	}
}

// extend makes the last character stem from what precedes an offset as well.
func (f *folder) extend(to int) {
	for i := len(f.places) - 1; i >= max(0, len(f.places)-utf8.RuneLen(f.last)); i-- {
		f.places[i].to = int32(to)
	}
}

// source returns the range of the source from which the range [from, to) of the folded text stems.
func (f *folder) source(from, to int) byteRange {
	return byteRange{int(f.places[from].from), int(f.places[to-1].to)}
}

// invisible reports whether a character is ignored after those before it.
func (f *folder) invisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x2060, r == 0xFEFF, r == 0x0640: // soft hyphen, joiners, tatweel
		return true
	case 0xFE00 <= r && r <= 0xFE0F, 0xE0100 <= r && r <= 0xE01EF: // variation selectors
		return true
	case r == 0x200B: // zero-width space, which separates words only where spaces do so
		return dense(f.last)
	case r == 0x200C, r == 0x200D: // zero-width (non-)joiners, which separate parts of words in Arabic script
		return f.last >= 0x0900
	}
	return false
}

// accents are marks that people omit. The marks of other scripts are vowels and tones.
var accents = &unicode.RangeTable{
	R16: []unicode.Range16{
		// Latin, Greek and Cyrillic
		{0x0300, 0x036F, 1},
		// Hebrew
		{0x0591, 0x05BD, 1}, {0x05BF, 0x05BF, 1}, {0x05C1, 0x05C2, 1}, {0x05C4, 0x05C5, 1}, {0x05C7, 0x05C7, 1},
		// Arabic
		{0x0610, 0x061A, 1}, {0x064B, 0x065F, 1}, {0x0670, 0x0670, 1}, {0x06D6, 0x06DC, 1}, {0x06DF, 0x06E4, 1},
		{0x06E7, 0x06E8, 1}, {0x06EA, 0x06ED, 1},
		// combining marks of any script
		{0x1AB0, 0x1AFF, 1}, {0x1DC0, 0x1DFF, 1}, {0x20D0, 0x20FF, 1}, {0xFE20, 0xFE2F, 1},
	},
}

func isAccent(r rune) bool { return r >= 0x300 && unicode.Is(accents, r) }

// distinguishes reports whether a mark makes another letter of a letter, as in Cyrillic й, ў and ї.
func distinguishes(base, mark rune) bool {
	switch lower(base) {
	case 'и', 'у':
		return mark == 0x306
	case 'і':
		return mark == 0x308
	}
	return false
}

func lower(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	case r == 'ς':
		return 'σ'
	}
	return unicode.ToLower(r)
}

// plain returns what people write instead of a letter that their keyboard lacks, or "".
func plain(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'þ':
		return "th"
	case 'ø':
		return "o"
	case 'đ', 'ð':
		return "d"
	case 'ł':
		return "l"
	case 'ı':
		return "i"
	case 'ħ':
		return "h"
	case 'ŋ':
		return "n"
	case 'ŧ':
		return "t"
	case 'ĸ':
		return "k"
	case 'ʼ', 'ʻ': // letters that look like apostrophes
		return "'"
	}
	return ""
}

// sign returns the ASCII form of a character that is no letter, or the character itself.
func sign(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r == '’', r == '‘':
		return '\''
	case '\u2010' <= r && r <= '\u2013', r == '\u2212': // hyphens, short dashes, minus
		return '-'
	case '\uFF01' <= r && r <= '\uFF5E': // full-width forms
		return r - '\uFF01' + '!'
	case r == '\u0F0C':
		return tsheg
	}
	return r
}
