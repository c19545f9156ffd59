package page

import (
	_ "embed"
	"html/template"

	"github.com/stoachat/stoa/domain/user"
)

//go:embed apps.html
var apps string

//go:embed password.html
var password string

//go:embed password.js
var passwordScript string

//go:embed finish.html
var finish string

// Template parses the template of a page. It panics if text is invalid. The text can use:
//
//   - {{template "apps" .}}, which explains how to use an app; .Page.Address is the address to enter there
//   - {{template "new password" .}}, an input for a new password, and {{template "password rules" .}}, the rules to
//     show after its label, with a meter of its strength; .Page embeds PasswordRules
//   - {{template "finished" .}}, which shows what remains to do after a login; .Page embeds Finished
func Template(name, text string) *template.Template {
	t := template.New(name)
	for _, shared := range []string{apps, password, finish} {
		template.Must(t.Parse(shared))
	}
	return template.Must(t.New(name).Parse(text))
}

// PasswordRules are the limits of a new password in characters. Template data of pages embed it.
type PasswordRules struct{ MinPassword, MaxPassword int }

// NewPasswordRules returns the rules for a minimum length.
func NewPasswordRules(minLength int) PasswordRules { return PasswordRules{minLength, user.MaxPassword} }

// Script implements Scripted: it shows how hard the password is to guess.
func (r PasswordRules) Script() template.JS {
	if r.MinPassword == 0 {
		return ""
	}
	return template.JS(passwordScript) // #nosec G203 -- an embedded file
}
