// Package identities connects accounts to identity providers and logs in people whom these have identified. Modules
// that speak a provider's protocol, such as oidc, only verify its answers; this one decides who may enter, as whom
// (domain/signin.Decide), and records it in the audit log.
//
// Rules:
//
//   - An identity is a provider and a subject. It stays with its account when the person's name or address changes at
//     the provider. An account is connected to at most one identity of each provider.
//
//   - An address counts only when an identity is seen for the first time, and only if the provider has verified it, or
//     the person enters a code that is mailed to it. If the account with this address has a password, the person must
//     enter it once, unless the provider is configured to be trusted with that (signin.Provider.Link).
//
//   - People without an account get one if the organization is open to everybody or the provider is configured so
//     (signin.Provider.SignUp), within the organization's rules for addresses.
//
//   - Deactivated users are refused after the provider has answered. A refusal names no accounts.
//
//   - A login continues only in the browser that began it, which has a cookie for that, and each answer of a provider
//     is used once. A login in an app keeps its one-time pad in the flow's row (domain/signin).
//
//   - Whoever connects an identity to their account starts by POST /stoa/identities, so that no other site can do it
//     for them. Nobody can disconnect their last way to log in.
//
//   - Names, addresses, roles and memberships that a provider changes at each login, or synchronizes, cannot be changed
//     by hand; owners and roles that it does not give can.
//
// Tables: external_identities, signin_flows, signin_codes, and identity_sessions, with the sessions that a provider can
// end.
//
// New accounts have the language and the time zone that the provider tells.
//
// Ports: it provides Identities. Hooks: it handles user.ProfileDeleted and directory.Changed. Queries: it asks
// user.HasPassword, signin.Methods, signin.Manages and signin.LogoutPage, and answers signin.StillLoggedIn and
// mail.Composition.
package identities
