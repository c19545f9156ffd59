// Package jwtlogin logs in people whom another site of the organization has authenticated, and for whom it issues a
// JSON Web Token (RFC 7519).
//
// Rules:
//
//   - A token names a person by the address in its claim email. It must be signed with the configured key, expire
//     within 5 minutes, and have the configured audience and issuer. With a public key, whose owner may also sign
//     tokens for others, the server does not start without both.
//   - A token counts once, whether it is used in a browser or for an API key, on all nodes.
//   - The site brings people by a form that it sends to /accounts/login/jwt/, without having been asked. Nobody can be
//     kept from logging somebody else in to their own account, so that the page does nothing but log in, and serves no
//     apps.
//   - The account with the address is entered, and no identity is stored: the account of a token is the one that has
//     the address now. See the module identities, which decides.
//   - The API call creates no accounts, and refuses people who have a second factor.
//
// Tables: jwt_tokens, with the tokens that were used. Ports: it uses Identities and Accounts. Queries: it asks
// signin.SecondFactor and user.RecordOf.
package jwtlogin
