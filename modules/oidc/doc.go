// Package oidc logs in users through OpenID Connect, with the authorization code flow of OpenID Connect Core 1.0, and
// always with PKCE (RFC 7636), state and nonce. It verifies the provider's answers; the module identities decides who
// may enter.
//
// Rules:
//
//   - Everything that is needed to trust a provider comes from the configuration: its issuer, and the client's ID and
//     secret. Its metadata must name the same issuer, and all addresses use HTTPS, except on the same machine.
//   - Requests to a provider follow no redirects, read a megabyte at most and last ten seconds at most. While it fails,
//     its button says so at once, and other ways to log in work.
//   - Tokens must be signed with one of the configured algorithms, never with none or with a shared secret, and be
//     meant for this client and this login. Clocks may differ by clock_skew.
//   - An address counts as verified if the provider says so, or if the configuration trusts it. With azuread, the claim
//     email is never enough: administrators of any tenant can set it.
//   - A provider can end sessions by OpenID Connect Back-Channel Logout 1.0, with each logout token once. The address
//     is /oidc/ID/backchannel-logout.
//
// Tables: none. Ports: it uses Identities. Queries: it answers signin.Methods and signin.LogoutPage.
package oidc
