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
	// Finish logs in an active user, or asks for a second factor first, and returns what the browser has to do
	// (page.Finish). Joins an open unit of work. Errors: BadRequest, RealmDeactivated.
	Finish(ctx context.Context, by user.Actor, u user.ID, f signin.Flow) (signin.Outcome, error)
	// End ends sessions of a realm. Those that are over are ignored. Joins an open unit of work.
	End(ctx context.Context, r realm.ID, sessions ...session.ID) error
	// EndAll ends all sessions of a user except one, which may be 0. Joins an open unit of work.
	EndAll(ctx context.Context, r realm.ID, u user.ID, except session.ID) error
}

// Identities logs in people whom an identity provider has identified. It alone decides who may enter, as whom, and what
// has to be proven first; modules that speak a provider's protocol only verify its answers. Its methods that take a
// ResponseWriter answer the request. identities → oidc,
// saml, ldap. It is a port because it connects accounts to providers.
type Identities interface {
	// Begin starts a login at a provider, on the request of a browser with the parameters of signin.ParseFlow. It sets
	// the cookie by which Resume recognizes the browser. ok is false if it has answered the request with an error.
	// connect means to connect the account that is logged in.
	Begin(w http.ResponseWriter, r *http.Request, p signin.Provider, connect bool) (s signin.Started, ok bool)
	// Resume returns the login that a provider's answer belongs to, once, and only to the browser that began it. ok is
	// false if there is none, and the request has been answered.
	Resume(w http.ResponseWriter, r *http.Request, p signin.Provider, state string) (s signin.Started, ok bool)
	// Recognizes reports whether the request has the cookie that Begin sets. A browser may withhold it from a form of
	// another site, but not from one of this server.
	Recognizes(r *http.Request) bool
	// Finish logs in the person whom a provider has identified, or says what else is needed.
	Finish(w http.ResponseWriter, r *http.Request, p signin.Provider, s signin.Started, id signin.Identity)
	// Refuse says that the person could not log in, records the reason in the audit log, and logs the error.
	Refuse(w http.ResponseWriter, r *http.Request, p signin.Provider, why signin.Reason, cause error)
	// Admit returns the account of a person whom a provider has identified without a browser, and connects or creates
	// it first, if that may be done without asking anything. Inside Do. Errors: signin.RefusalError.
	Admit(ctx context.Context, r realm.ID, p signin.Provider, id signin.Identity) (*user.User, error)
	// Refused records a refusal in the audit log, and returns the error for the person. Not inside the unit of work that
	// it has ended. Errors: UserDeactivated, BadRequest.
	Refused(ctx context.Context, r realm.ID, p signin.Provider, id signin.Identity, why *signin.RefusalError) error
	// Connections returns the accounts of a realm that are connected to a provider, ordered by user.
	Connections(ctx context.Context, r realm.ID, provider string) ([]signin.Connection, error)
	// Follow gives a connected account the name, address, role and memberships that follow from what the provider says
	// now. Joins an open unit of work.
	Follow(ctx context.Context, r realm.ID, p signin.Provider, u user.ID, id signin.Identity) error
	// LogOut ends the sessions that began with an identity; session restricts them to one of the provider's sessions.
	// One of subject and session may be "".
	LogOut(ctx context.Context, r realm.ID, p signin.Provider, subject, session string) error
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
	// Page answers with the client's page of a realm, which contains the session's CSRF token. With an empty token the
	// client reads as a spectator. Only if Built.
	Page(w http.ResponseWriter, r *http.Request, of realm.ID, token string)
}

// Spectators reports whether a realm lets visitors read web-public content without logging in. channels → HTTP server,
// homepage. It is a port because the server itself admits visitors with it.
type Spectators interface {
	Admits(ctx context.Context, r realm.ID) (bool, error)
}
