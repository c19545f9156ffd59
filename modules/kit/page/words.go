package page

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/language"
)

// Words returns the texts of a template in the reader's language.
type Words struct{ *language.Language }

// LanguagePreferrer is implemented by template data with language preferences beyond the browser's Accept-Language.
type LanguagePreferrer interface {
	// Prefers returns the languages set by the user and by the organization; "" if unknown.
	Prefers() (own, organization string)
}

// Preference implements LanguagePreferrer. Template data of pages embed it.
type Preference struct{ Own, Organization string }

// Prefers implements LanguagePreferrer.
func (p Preference) Prefers() (own, organization string) { return p.Own, p.Organization }

// wordsFor returns the texts in the first available language of: the user's setting, the browser's languages, and the
// organization's setting.
func wordsFor(r *http.Request, data any, moduleTexts []language.Texts) Words {
	tags := language.Accepted(r.Header.Get("Accept-Language"))
	if p, ok := data.(LanguagePreferrer); ok {
		own, organization := p.Prefers()
		tags = append(append([]string{own}, tags...), organization)
	}
	l := language.Choose(tags...)
	for _, texts := range moduleTexts {
		l = texts.In(l)
	}
	return Words{l}
}

// Language returns the code of the first language accepted by the browser that has translations, or "" if there is
// none.
func Language(r *http.Request) string {
	for _, tag := range language.Accepted(r.Header.Get("Accept-Language")) {
		if l := language.Choose(tag); l != language.English() || strings.HasPrefix(strings.ToLower(tag), "en") {
			return l.Code
		}
	}
	return ""
}

// Dir returns the text direction for the HTML attribute dir.
func (w Words) Dir() string {
	if w.RTL {
		return "rtl"
	}
	return "ltr"
}

// H translates a text that contains HTML elements and formats it with args. Strings in args are escaped. The text is
// part of the program and is not escaped.
func (w Words) H(english string, args ...any) template.HTML {
	escaped := make([]any, len(args))
	for i, a := range args {
		if s, ok := a.(string); ok {
			a = template.HTMLEscapeString(s)
		}
		escaped[i] = a
	}
	return template.HTML(w.T(english, escaped...)) // #nosec G203 -- args are escaped
}
