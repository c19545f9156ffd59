package saml

import (
	_ "embed"
	"html/template"
	"net/http"

	"github.com/stoachat/stoa/modules/kit/page"
)

//go:embed post.html
var postText string

//go:embed post.js
var postScript string

var postTemplate = page.Template("saml", postText)

// posted is the name of the field that forms of the server have.
const posted = "posted"

// form is the data of the page that sends a form by itself.
type form struct {
	Provider, To, Name, Message, State string
}

// Script implements page.Scripted.
func (form) Script() template.JS { return template.JS(postScript) } // #nosec G203 -- an embedded file

// Sends implements page.Sender.
func (form) Sends() bool { return true }

// Own reports whether the server itself receives the form.
func (f form) Own() bool { return f.Name == "SAMLResponse" }

// post answers with a page whose form sends a message.
func (s *service) post(w http.ResponseWriter, r *http.Request, p *provider, to, name, message, state string) {
	page.Handler("saml", postTemplate, s.Logger, func(*http.Request) (form, error) {
		return form{p.Name, to, name, message, state}, nil
	}).ServeHTTP(w, r)
}
