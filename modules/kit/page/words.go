package page

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/language"
)

// Words are the texts of a template in the reader's language.
type Words struct{ *language.Language }

// Preferring is implemented by page contents that know more about the reader's language than the browser sends.
type Preferring interface {
	// Prefers returns the language set by the user, and that of the organization; "" if unknown.
	Prefers() (own, organization string)
}

// Preference implements Preferring; a page embeds it.
type Preference struct{ Own, Organization string }

// Prefers implements Preferring.
func (p Preference) Prefers() (own, organization string) { return p.Own, p.Organization }

// wordsFor returns the words for the sender of a request: in the language that the user has set, else in that of the
// browser, else in that of the organization.
func wordsFor(r *http.Request, shown any, own []language.Texts) Words {
	tags := language.Accepted(r.Header.Get("Accept-Language"))
	if p, ok := shown.(Preferring); ok {
		own, organization := p.Prefers()
		tags = append(append([]string{own}, tags...), organization)
	}
	l := language.Choose(tags...)
	for _, texts := range own {
		l = texts.In(l)
	}
	return Words{l}
}

// Language returns the language of the browser that has sent a request, if there are texts in it; "" otherwise.
func Language(r *http.Request) string {
	for _, tag := range language.Accepted(r.Header.Get("Accept-Language")) {
		if l := language.Choose(tag); l != language.English() || strings.HasPrefix(strings.ToLower(tag), "en") {
			return l.Code
		}
	}
	return ""
}

// Dir returns the direction of writing.
func (w Words) Dir() string {
	if w.RTL {
		return "rtl"
	}
	return "ltr"
}

// H returns a text with elements of HTML in it, and args in the places of its verbs. Args are escaped unless they are
// numbers: the text itself is part of the program.
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
