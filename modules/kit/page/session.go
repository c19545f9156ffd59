package page

import (
	"net/http"
	"time"

	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Redirector is implemented by template data of pages that redirect the browser or set cookies after success.
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

// SessionCookies returns the cookies of a new session: its secret, and its owner for the web client.
func SessionCookies(r *http.Request, b session.Begun) []*http.Cookie {
	c := sessionCookie(r, b.Cookie) //nolint:gosec // see sessionCookie
	c.Expires = b.Ends.UTC()
	return []*http.Cookie{c, OwnerCookie(r, b.Owner, b.Ends)}
}

// ExpiredSessionCookies returns cookies that delete those of a session.
func ExpiredSessionCookies(r *http.Request) []*http.Cookie {
	c := sessionCookie(r, "") //nolint:gosec // see sessionCookie
	c.MaxAge = -1
	return []*http.Cookie{c, OwnerCookie(r, "", time.Time{})}
}

func sessionCookie(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // not Secure if the client uses plain HTTP
		Name: session.CookieName(Secure(r)), Value: value, Path: "/",
		HttpOnly: true, Secure: Secure(r), SameSite: http.SameSiteLaxMode,
	}
}

// OwnerCookie returns the cookie with the owner of a session that ends at a time, or one that deletes it if owner is
// "". Scripts can read it; see session.Owner.
func OwnerCookie(r *http.Request, owner string, ends time.Time) *http.Cookie {
	c := &http.Cookie{ //nolint:gosec // not Secure if the client uses plain HTTP; not a credential
		Name: session.OwnerName(Secure(r)), Value: owner, Path: "/",
		Secure: Secure(r), SameSite: http.SameSiteLaxMode, Expires: ends.UTC(),
	}
	if owner == "" {
		c.MaxAge = -1
	}
	return c
}

// Visitor returns an actor for a page request without login. It describes the browser and has no user.
func Visitor(r *http.Request) user.Actor {
	return user.Actor{Client: "website", Agent: session.Agent(r.UserAgent()), URL: Origin(r), From: ClientNetwork(r)}
}
