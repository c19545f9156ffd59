package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
)

//go:embed refusal.html
var refusalHTML string

var refusalPage = template.Must(template.New("refusal").Parse(refusalHTML))

// Fail answers a request to a page with an error page: 404 for NotFound, otherwise 503.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	for name, value := range Headers() {
		w.Header().Set(name, value)
	}
	status := http.StatusServiceUnavailable
	if errs.Is(err, errs.NotFound) {
		status = http.StatusNotFound
	}
	w.WriteHeader(status)
	_, _ = w.Write(Refusal(language.Choose(Language(r)), status, ""))
}

// Refusal returns an error page, because browsers would otherwise show the error as JSON. The page shows text unless
// the status has a standard text. The text of status 404 is the same for missing and hidden objects.
func Refusal(l *language.Language, status int, text string) []byte {
	v := struct {
		Words

		Style             template.CSS
		Title, Text, Link string
	}{Words{l}, Style(), "This page can't be shown", text, "Go to your organization"}
	switch status {
	case http.StatusNotFound:
		v.Title, v.Text = "Not found", "This page does not exist, or you don't have access to it."
	case http.StatusUnauthorized:
		v.Title, v.Text, v.Link = "Not logged in", "Log in to see this page.", "Log in"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		v.Title = "Please try again later"
	case http.StatusInternalServerError:
		v.Title = "Something went wrong"
	}
	v.Title, v.Text, v.Link = l.T(v.Title), l.T(v.Text), l.T(v.Link)
	var b bytes.Buffer
	_ = refusalPage.Execute(&b, v) // cannot fail for strings
	return b.Bytes()
}
