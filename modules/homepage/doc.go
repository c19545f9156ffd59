// Package homepage answers GET / with a small page for people who open the server's address in a browser: what the
// server is, which apps to use with which address, and how to join or reset a password. If the server includes the web
// client (ports.WebClient), logged-in users get that instead.
//
// Where the server contains the client for browsers (ports.WebClient), whoever is logged in gets that instead. So does
// everybody where the organization has channels that people may read without logging in (ports.Spectators).
//
// /organizations/ lists the organizations of the server in which a browser has been logged in, for people with several;
// GET /organizations does so for the client. Only a cookie in the browser knows them, so neither tells which accounts
// exist.
//
// It has no tables, events or jobs. The page is plain HTML without JavaScript, under the strict policy of
// modules/kit/page. It links only to pages that other modules have mounted (/register, /login,
// /accounts/password/reset), and shows nothing that GET /server_settings does not show as well. The address comes
// from http.url, or from the request where that is not set.
package homepage
