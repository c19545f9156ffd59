// Package language translates the server's own pages and emails. The English text is the key of a translation; texts
// without one stay English.
package language

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Language is a language with its translations.
type Language struct {
	Code string // as in the setting default_language
	Tag  string // BCP 47
	RTL  bool   // written from right to left

	texts       map[string]string
	moduleTexts map[string]string // see Texts.In
	form        func(n int) int   // index of the plural form for a number (CLDR)
}

//go:embed texts
var files embed.FS

// all lists the languages; the first one is the language of the keys.
var all = []*Language{
	{Code: "en", Tag: "en", form: pluralUnlessOne},
	read("ar", "ar", arabic),
	read("de", "de", pluralUnlessOne),
	read("es", "es", pluralUnlessOne),
	read("fr", "fr", pluralAboveOne),
	read("ja", "ja", noPlural),
	read("zh-hans", "zh-Hans", noPlural),
}

// read reads an embedded catalog. It panics if the file is invalid, which any test would reveal.
func read(code, tag string, form func(int) int) *Language {
	l := &Language{Code: code, Tag: tag, RTL: code == "ar", form: form}
	b, err := files.ReadFile("texts/" + code + ".json")
	if err == nil {
		err = json.Unmarshal(b, &l.texts)
	}
	if err != nil {
		panic("texts in " + code + ": " + err.Error())
	}
	return l
}

// English returns the language of the keys.
func English() *Language { return all[0] }

// All returns all languages, English first.
func All() []*Language { return append([]*Language(nil), all...) }

// Choose returns the first available language of codes and tags in order of preference, or English if none is
// available.
func Choose(tags ...string) *Language {
	for _, tag := range tags {
		if l := find(tag); l != nil {
			return l
		}
	}
	return English()
}

// find returns the language for a code or tag, ignoring the region if necessary, or nil if it is not available.
func find(tag string) *Language {
	tag = strings.ToLower(strings.TrimSpace(tag))
	base, rest, _ := strings.Cut(tag, "-")
	if base == "zh" {
		// Readers of traditional characters do not get simplified ones.
		if script, _, _ := strings.Cut(rest, "-"); script == "" || script == "hans" || script == "cn" || script == "sg" {
			tag = "zh-hans"
		}
		base = tag
	}
	for _, l := range all {
		if l.Code == tag || l.Code == base {
			return l
		}
	}
	return nil
}

// maxAccepted is the maximum number of languages read from a header.
const maxAccepted = 20

// Accepted returns the tags of an Accept-Language header (RFC 9110), most preferred first.
func Accepted(header string) []string {
	var tags []string
	var weights []float64
	for part := range strings.SplitSeq(header, ",") {
		if len(tags) == maxAccepted {
			break
		}
		tag, parameter, _ := strings.Cut(part, ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.ReplaceAll(parameter, " ", ""), "q="); ok {
			weight, _ = strconv.ParseFloat(q, 64)
		}
		if tag = strings.TrimSpace(tag); tag == "" || tag == "*" || !(weight > 0) {
			continue
		}
		at := len(tags)
		for at > 0 && weights[at-1] < weight {
			at--
		}
		tags = append(tags[:at], append([]string{tag}, tags[at:]...)...)
		weights = append(weights[:at], append([]float64{weight}, weights[at:]...)...)
	}
	return tags
}

// T translates a text. If there are args, the text is a format for them.
func (l *Language) T(english string, args ...any) string {
	text, ok := l.moduleTexts[english]
	if !ok {
		text, ok = l.texts[english]
	}
	if !ok {
		text = english
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Count translates a text in the plural form for n. It replaces # by n and, if there are args, uses the text as a
// format for them. The key of the translation is one|other; the translation's own plural forms are separated by bars as
// well.
func (l *Language) Count(n int, one, other string, args ...any) string {
	forms := strings.Split(l.T(one+"|"+other), "|")
	text := strings.ReplaceAll(forms[min(l.form(n), len(forms)-1)], "#", strconv.Itoa(n))
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Date formats a date with its time of day.
func (l *Language) Date(t time.Time) string {
	return strings.ReplaceAll(t.Format(l.T("2 January 2006, 15:04 MST")), t.Month().String(), l.T(t.Month().String()))
}

func pluralUnlessOne(n int) int {
	if n == 1 {
		return 0
	}
	return 1
}

func pluralAboveOne(n int) int {
	if n < 2 {
		return 0
	}
	return 1
}

func noPlural(int) int { return 0 }

// arabic has the forms zero, one, two, few, many and other.
func arabic(n int) int {
	switch {
	case n < 3:
		return n
	case n%100 >= 3 && n%100 <= 10:
		return 3
	case n%100 >= 11:
		return 4
	}
	return 5
}

// Texts returns the translations by English text.
func (l *Language) Texts() map[string]string { return maps.Clone(l.texts) }
