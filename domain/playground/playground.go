// Package playground describes web pages that run a realm's code blocks.
package playground

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/urltemplate"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a playground.
type ID int64

// Playground is a page that runs code of a language. Language and name are unique together within a realm.
type Playground struct {
	ID          ID
	Name        string
	Language    string // as in the info string of a code block
	URLTemplate string // RFC 6570, with the single variable code
}

// Maximum lengths in characters.
const (
	maxName     = 100
	maxLanguage = 40
	maxTemplate = 2000
)

// New validates a playground and returns it without an ID. Errors: BadRequest.
func New(name, language, template string) (Playground, error) {
	p := Playground{
		Name:        strings.TrimSpace(name),
		Language:    strings.TrimSpace(language),
		URLTemplate: strings.TrimSpace(template),
	}
	for _, f := range []struct {
		field, value string
		limit        int
	}{{"name", p.Name, maxName}, {"pygments_language", p.Language, maxLanguage},
		{"url_template", p.URLTemplate, maxTemplate}} {
		switch {
		case f.value == "":
			return Playground{}, errs.Bad("%s cannot be blank", f.field)
		case utf8.RuneCountInString(f.value) > f.limit:
			return Playground{}, errs.Bad("%s is too long (limit: %d characters)", f.field, f.limit)
		case strings.ContainsFunc(f.value, unicode.IsControl), f.field == "name" && user.FirstInvisible(f.value) > 0:
			return Playground{}, errs.Bad("Invalid character in %s.", f.field)
		}
	}
	if !strings.ContainsFunc(p.Name, user.IsVisible) {
		return Playground{}, errs.Bad("name cannot be blank")
	}
	if strings.IndexFunc(p.Language, func(r rune) bool { return !inLanguage(r) }) >= 0 {
		return Playground{}, errs.Bad("Invalid characters in pygments language")
	}
	t, err := urltemplate.Parse(p.URLTemplate)
	if err != nil || !isWeb(p.URLTemplate) {
		return Playground{}, errs.Bad("Invalid URL template.")
	}
	variables := t.Variables()
	if !slices.Contains(variables, "code") {
		return Playground{}, errs.Bad(`Missing the required variable "code" in the URL template`)
	}
	if len(variables) > 1 {
		return Playground{}, errs.Bad(`"code" should be the only variable present in the URL template`)
	}
	return p, nil
}

// CheckUnique refuses a playground if its language and name are those of an existing one. key is
// directory.View.NameKey. Errors: BadRequest.
func CheckUnique(all []Playground, p *Playground, key func(string) string) error {
	language, name := key(p.Language), key(p.Name)
	if slices.ContainsFunc(all, func(o Playground) bool { return key(o.Language) == language && key(o.Name) == name }) {
		return ErrExists()
	}
	return nil
}

// ErrExists returns the error for a duplicate playground.
func ErrExists() error { return errs.Bad("A playground of this language and name already exists.") }

func inLanguage(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(" _+-./#", r)
}

// isWeb reports whether a template yields web addresses, and not, for example, scripts.
func isWeb(template string) bool {
	lower := strings.ToLower(template)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}
