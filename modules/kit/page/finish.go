package page

import (
	"html/template"
	"net/http"
	"net/url"

	"github.com/stoachat/stoa/domain/signin"
)

// Finished is what remains to do in the browser after a login. The data of pages that log people in embed it, and their
// templates show it with {{template "finished" .}}. It implements Redirector.
type Finished struct {
	App  template.URL // opens the mobile app
	Code string       // for the desktop app

	target  string
	cookies []*http.Cookie
}

// RedirectTarget implements Redirector.
func (f Finished) RedirectTarget() (string, []*http.Cookie) { return f.target, f.cookies }

// Finish returns what the browser does with the outcome of a login (ports.SignIns). Browsers do not let forms redirect
// to apps, so that people follow a link.
func Finish(r *http.Request, out signin.Outcome, f signin.Flow) Finished {
	switch {
	case out.Second != nil:
		to := out.Second.Page + "?" + url.Values{"step": {out.Second.ID}}.Encode()
		return Finished{target: to, cookies: []*http.Cookie{challengeCookie(r, out.Second)}}
	case out.Session != nil:
		return Finished{target: f.Next, cookies: SessionCookies(r, *out.Session)}
	case out.Code != "":
		return Finished{Code: out.Code}
	case r.Method == http.MethodPost:
		return Finished{App: template.URL(out.App)} // #nosec G203 -- made by the server; templates refuse the scheme
	}
	return Finished{target: out.App, App: template.URL(out.App)} // #nosec G203 -- as above
}

// Open returns what makes the browser open a page of the server.
func Open(path string, cookies ...*http.Cookie) Finished {
	return Finished{target: path, cookies: cookies}
}

// Begin returns what gives the browser the cookie of a challenge on the page that it sees.
func Begin(r *http.Request, c signin.Challenge) Finished {
	return Finished{cookies: []*http.Cookie{challengeCookie(r, &c)}}
}

// challengeName returns the name of a challenge's cookie, by the same rule as session.CookieName.
func challengeName(r *http.Request, id string) string {
	if Secure(r) {
		return "__Host-second-" + id
	}
	return "second-" + id
}

func challengeCookie(r *http.Request, c *signin.Challenge) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // not Secure if the client uses plain HTTP
		Name: challengeName(r, c.ID), Value: c.Secret, Path: "/", Expires: c.Ends.UTC(),
		HttpOnly: true, Secure: Secure(r), SameSite: http.SameSiteLaxMode,
	}
}

// ChallengeSecret returns the secret of a challenge that the browser was given, or "".
func ChallengeSecret(r *http.Request, id string) string {
	c, err := r.Cookie(challengeName(r, id))
	if err != nil {
		return ""
	}
	return c.Value
}

// WithoutChallenge returns f with the cookie of a challenge deleted.
func (f Finished) WithoutChallenge(r *http.Request, id string) Finished {
	gone := challengeCookie(r, &signin.Challenge{ID: id}) //nolint:gosec // see challengeCookie
	gone.MaxAge = -1
	f.cookies = append(f.cookies, gone)
	return f
}
