// Package sessions logs users in to the organization in browsers.
//
// Tables: sessions, with one row per logged-in browser, and login_tokens, for desktop apps.
//
// The cookie contains the ID of the session and a secret, of which only the hash is stored; the CSRF token is derived
// from the cookie. A copy of the database or of the server's memory therefore does not allow impersonation. Sessions
// are shared facts of the realm: a request needs no query, and the end of a session takes effect on every node within a
// second, even for changes and polls in progress. The time of a session's last use is saved every few minutes and shown
// to its owner.
//
// A second cookie, which scripts can read, names the user (session.Owner), so that the web client shows data stored in
// the browser to that user only. The page at / renews it, and deletes both once the session is over.
//
// A session ends when it has not been used for some days, some months after the login (settings session_idle_days and
// session_life_days), on logout, by DELETE /sessions, when the user has too many, when the user's password
// changes (except the session that changed it), when the user or the organization is deactivated, and when the user's
// profile is deleted. A new API key does not end any session.
//
// The pages /login and /accounts/logout work without JavaScript. The login page is also the first page of visitors, at
// / (module homepage): it shows the organization's icon, name and description, the other authentication methods
// (external_authentication_methods), and how to use an app. If the server sends no email, it says whom to ask for a new
// password; it names an owner only if visitors are allowed to see users. Failed logins share a limit with those of POST
// /fetch_api_key. Other authentication methods complete a login through ports.SignIns, also for apps that have opened a
// browser for it (domain/signin).
//
// Events: session/changed, which is not sent to clients. Ports: it provides Sessions, SignIns and LoginPage. Hooks: it
// runs user.SessionBegun, and handles user.Deactivated, user.LoginChanged, user.ProfileDeleted,
// directory.Changed and realm.Deactivated.
// Queries: it asks signin.Methods, signin.SecondStep and signin.StillLoggedIn, and answers session.Began.
package sessions
