// Package homepage serves / for people who open the server's address in a browser. Visitors get the login page
// (ports.LoginPage). If the server includes the web client (ports.WebClient), logged-in users get the client, and so do
// all visitors if the organization has channels that can be read without logging in (ports.Spectators). Everybody else
// gets a small page: what the server is, which apps to use with which address, and how to join or reset a password.
//
// Ports: provides HomePage to the client, which registers with it.
//
// /organizations/ lists the organizations on this server that the browser has logged in to; GET /organizations returns
// the same list to the client. The list comes from a cookie, so it does not reveal which accounts exist.
//
// The module has no tables, events or jobs. The page is plain HTML without JavaScript, under the strict content policy
// of modules/kit/page. It links only to pages that other modules have mounted (/register, /login,
// /accounts/password/reset), and shows only what GET /server_settings returns as well. The server's address is
// http.url, or if that is not set, the host of the request.
package homepage
