// Package headerlogin logs in people whom a reverse proxy has authenticated, by Kerberos, client certificates or a
// sign-on of its own, and whom it names in a header.
//
// Rules:
//
//   - The header counts only on connections from trusted_proxies that also send the secret. Any other request is
//     refused and recorded in the audit log; the server's log says why.
//   - The proxy has to remove both headers from what clients send, and to authenticate people at /accounts/login/sso.
//     Everything else on the server needs no authentication by the proxy, so that apps work.
//   - A login begins at /accounts/login/start/sso, which sets the cookie of its browser; the same paths are those of
//     Zulip's REMOTE_USER, so that a proxy that is set up for it keeps working.
//   - The name in the header identifies the account for ever. With append_domain, or if it is an address, it also
//     names the account that it is connected to the first time; see the module identities, which decides.
//
// Tables: none. Ports: it uses Identities. Queries: it answers signin.Methods.
package headerlogin
