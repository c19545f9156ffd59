package ports

import (
	"context"
	"net/http"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
)

// Sessions manages browser logins. Without it the HTTP server serves nothing under /json. sessions → HTTP server,
// homepage, invites, demo. It is a port because the server itself authenticates browsers with it.
type Sessions interface {
	// Session returns the user of a session cookie, as Authenticate does for keys. It costs no query, and every node
	// refuses an ended session within a second. Errors: Unauthorized, UserDeactivated, Unavailable.
	Session(ctx context.Context, r realm.ID, cookie string) (user.Actor, error)
	// Begin logs in an authenticated, active user; by describes the browser. The result contains the cookie's value,
	// which is stored nowhere. Joins an open unit of work. Errors: BadRequest, RealmDeactivated.
	Begin(ctx context.Context, by user.Actor, u user.ID) (session.Begun, error)
}

// SignIns completes logins for modules that identify users by a method of their own, in a browser or in an app that
// opened one (see signin.Flow). sessions → modules that log users in. It is a port because it logs users in for modules
// outside of this repository.
type SignIns interface {
	// Finish logs in an active user and returns what the browser has to do. Not inside Do. Errors: BadRequest,
	// RealmDeactivated.
	Finish(ctx context.Context, by user.Actor, u user.ID, f signin.Flow) (signin.Outcome, error)
}

// LoginPage is the page with the login form, for visitors without a session. sessions → homepage. It can be replaced by
// a module that logs users in differently.
type LoginPage interface{ http.Handler }

// HomePage is the page at /. homepage → web. It is a port because clients register with it.
type HomePage interface {
	// Show makes c the client. A client calls it while it is wired; a second one is refused.
	Show(c WebClient) error
}

// WebClient is the web client embedded in the server. web → homepage. It can be replaced by another client.
type WebClient interface {
	// Built reports whether the binary contains the client.
	Built() bool
	// Page answers with the client's page, which contains the session's CSRF token. With an empty token the client
	// reads as a spectator. Only if Built.
	Page(w http.ResponseWriter, token string)
}

// Spectators reports whether a realm lets visitors read web-public content without logging in. channels → HTTP server,
// homepage. It is a port because the server itself admits visitors with it.
type Spectators interface {
	Admits(ctx context.Context, r realm.ID) (bool, error)
}
