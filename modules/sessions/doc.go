// Package sessions logs people in with a browser.
//
// Tables: sessions, with one row for each browser that is logged in, and login_tokens, for desktop apps.
//
// The cookie holds the ID of the session and a secret, of which only the hash is stored; the token against forged
// requests is made from the cookie. So nobody can act as somebody else with what is in the database or in memory.
// Sessions are shared facts of the realm: a request needs no query, and what ends a session is true on every node
// within a second, for changes under way and held polls as well. When a session was last used is written down every
// few minutes, for its owner to read.
//
// A session ends when its time is over, by logging out, by DELETE /sessions, when the person has too many, when their
// password changes (not the session that has changed it), when they or their organization are deactivated, and when
// their profile is deleted. A new API key ends no session.
//
// The pages /login and /accounts/logout need no JavaScript. Failed logins count together with those of POST
// /fetch_api_key. Other ways to log in end with ports.SignIns, also for apps that have opened a browser for it
// (domain/signin).
//
// Events: session/changed, which no client receives. Ports: Sessions and SignIns. Hook events: user.SessionBegun is
// run; user.Deactivated, user.LoginChanged, user.ProfileDeleted and realm.Deactivated are heard.
package sessions
