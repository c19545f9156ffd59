package page

import (
	"net/http"

	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Leader is implemented by what a page shows if, once something has been done, the browser goes elsewhere.
type Leader interface {
	// Leads returns where to, "" to show the page, and the cookies to set.
	Leads() (to string, cookies []*http.Cookie)
}

// Secure reports whether the browser has reached the server by HTTPS.
func Secure(r *http.Request) bool { return r.TLS != nil }

// SessionOf returns the value of the session cookie, "" if there is none.
func SessionOf(r *http.Request) string {
	c, err := r.Cookie(session.CookieName(Secure(r)))
	if err != nil {
		return ""
	}
	return c.Value
}

// SessionCookie returns the cookie of a session that has begun.
func SessionCookie(r *http.Request, b session.Begun) *http.Cookie {
	c := sessionCookie(r, b.Cookie)
	c.Expires = b.Ends.UTC()
	return c
}

// NoSession returns what removes the session cookie.
func NoSession(r *http.Request) *http.Cookie {
	c := sessionCookie(r, "")
	c.MaxAge = -1
	return c
}

func sessionCookie(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // not Secure where people reach the server by plain HTTP
		Name: session.CookieName(
			Secure(r),
		), Value: value, Path: "/", HttpOnly: true, Secure: Secure(r), SameSite: http.SameSiteLaxMode,
	}
}

// Visitor is who asks for a page, as long as it is not known who that is: what can be told of the browser.
func Visitor(r *http.Request) user.Actor {
	return user.Actor{Client: "website", Agent: session.Agent(r.UserAgent()), URL: Origin(r), From: From(r)}
}
