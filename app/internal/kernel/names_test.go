package kernel

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func TestNameKey(t *testing.T) {
	for _, same := range [][]string{
		{"café", "Café", "Cafe\u0301", "CAFÉ", "ＣＡＦＥ\u0301", " Café ", "Ca\u200bfé", "Caf\u00e9\u202e", "\ufeffcafé"},
		{"straße", "STRASSE", "Strasse", "STRAẞE", "ﬆraße"},
		{"σσ", "Σς", "ΣΣ", "ςς"},
		{"istanbul", "İstanbul", "I\u0307stanbul", "i\u0307stanbul", "ISTANBUL"},
		{"ị", "İ\u0323", "Ị\u0307", "I\u0307\u0323"},
		{"ısparta", "ısparta "},
		{"f1", "F1", "Ｆ１", "F\u00b9", "ⓕ①"},
		{"a b", "a  b", "A\u00a0B", "a\u3000b", "\ta b"},
		{"ꭰꭱ", "ᎠᎡ", "Ꭰꭱ"},
		{"ᾳ", "ᾼ", "ΑΙ", "α\u0345", "αι"},
		{"❤", "❤\ufe0f"},
		{"@x", "＠x", "﹫X"},
		{"role:x", "\u200bROLE:x", "role：x", "ｒole:x"},
		{"kelvin", "\u212aelvin"},
		{"한글", norm.NFD.String("한글")},
		{"", " ", "\u200b", "\u3164", "\u200d\ufe0f"},
	} {
		want := nameKey(same[0])
		for _, name := range same {
			if got := nameKey(name); got != want {
				t.Errorf("the key of %+q is %+q, that of %+q is %+q", name, got, same[0], want)
			}
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"cafe", "café", "caffé", "istanbul", "ıstanbul", "ss", "s", "σ", "o", "ö", "0", "a b",
		"ab", "a-b", "я", "Ꭰ"} {
		if other, taken := seen[nameKey(name)]; taken {
			t.Errorf("%q and %q have the same key", name, other)
		}
		seen[nameKey(name)] = name
	}
}

// TestNameKeyOfCharacters covers every character that has a case or several normalization forms.
func TestNameKeyOfCharacters(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		s := "a" + string(r)
		if lower, forms := strings.ToLower(s), norm.NFKD.String(s); lower != s || forms != s {
			checkKey(t, s)
		}
	}
}

func checkKey(t *testing.T, name string) {
	t.Helper()
	key := nameKey(name)
	for what, same := range map[string]string{
		"the key": key, "lower case": strings.ToLower(name), "NFC": norm.NFC.String(name), "NFD": norm.NFD.String(name),
		"NFKC": norm.NFKC.String(name), "NFKD": norm.NFKD.String(name),
	} {
		if got := nameKey(same); got != key {
			t.Errorf("the key of %+q is %+q, of it as %s %+q", name, key, what, got)
		}
	}
}

func FuzzNameKey(f *testing.F) {
	for _, name := range []string{
		"Café", "Cafe\u0301", "Straße", "Σς", "İ\u0323", "\u200brole:x", "ᎠꭰＦ１", "👩\u200d💻", "한\u11a8", "\xff\u0130",
		"ᾳ\u0300 \u3164",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ToValidUTF8(name, "") == name { // other strings cannot be names
			checkKey(t, name)
		}
	})
}
