package page

import (
	"net/http"

	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Redirector is implemented by template data of pages that redirect the browser after success.
type Redirector interface {
	// RedirectTarget returns the URL to redirect to, or "" to show the page, and the cookies to set.
	RedirectTarget() (to string, cookies []*http.Cookie)
}

// Secure reports whether the request used HTTPS.
func Secure(r *http.Request) bool { return r.TLS != nil }

// SessionValue returns the value of the session cookie, or "" if the request has none.
func SessionValue(r *http.Request) string {
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

// ExpiredSessionCookie returns a cookie that deletes the session cookie.
func ExpiredSessionCookie(r *http.Request) *http.Cookie {
	c := sessionCookie(r, "") //nolint:gosec // see sessionCookie
	c.MaxAge = -1
	return c
}

func sessionCookie(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // not Secure if the client uses plain HTTP
		Name: session.CookieName(Secure(r)), Value: value, Path: "/",
		HttpOnly: true, Secure: Secure(r), SameSite: http.SameSiteLaxMode,
	}
}

// Visitor returns an actor for a page request without login. It describes the browser and has no user.
func Visitor(r *http.Request) user.Actor {
	return user.Actor{Client: "website", Agent: session.Agent(r.UserAgent()), URL: Origin(r), From: ClientNetwork(r)}
}
