package page

import (
	"net/http"

	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Leader is implemented by page content that redirects the browser after success.
type Leader interface {
	// Leads returns the URL to redirect to, or "" to show the page, and the cookies to set.
	Leads() (to string, cookies []*http.Cookie)
}

// Secure reports whether the request used HTTPS.
func Secure(r *http.Request) bool { return r.TLS != nil }

// SessionOf returns the value of the session cookie, or "" if there is none.
func SessionOf(r *http.Request) string {
	c, err := r.Cookie(session.CookieName(Secure(r)))
	if err != nil {
		return ""
	}
	return c.Value
}

// SessionCookie returns the cookie of a new session.
func SessionCookie(r *http.Request, b session.Begun) *http.Cookie {
	c := sessionCookie(r, b.Cookie) //nolint:gosec // see sessionCookie
	c.Expires = b.Ends.UTC()
	return c
}

// NoSession returns a cookie that deletes the session cookie.
func NoSession(r *http.Request) *http.Cookie {
	c := sessionCookie(r, "") //nolint:gosec // see sessionCookie
	c.MaxAge = -1
	return c
}

func sessionCookie(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // not Secure if the server is reached by plain HTTP
		Name: session.CookieName(Secure(r)), Value: value, Path: "/",
		HttpOnly: true, Secure: Secure(r), SameSite: http.SameSiteLaxMode,
	}
}

// Visitor returns an actor that describes the browser of a page request without login. It has no user.
func Visitor(r *http.Request) user.Actor {
	return user.Actor{Client: "website", Agent: session.Agent(r.UserAgent()), URL: Origin(r), From: From(r)}
}
