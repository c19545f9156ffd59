// Package confirmations handles links in emails: confirming a new address, and setting a new password after forgetting
// the old one.
//
// Rules:
//
//   - Opening a page has no effect, because email programs open links too. The form on the page acts.
//   - Emails link to http.url, never to a host named by a request. A server that sends email does not start without it.
//     On a server that sends none, owners change addresses (accounts.change_emails), or its operator does (stoa user
//     email); owners can create password reset links for others on any server.
//   - A request for a new password gets the same answer after the same work whether or not the address has an account.
//     The account is looked up when the email is written, and without an account no email is sent. If a requested new
//     address is taken, only an email to that address says so.
//   - When a user's address or password changes, or the user is deactivated, all earlier links become invalid. A later
//     change of address replaces an earlier one. A new password revokes all of a user's API keys.
//   - The former address is notified of a change, whoever made it, but not of the new address.
//   - No secret is stored or logged: keys are derived from a secret (kit/linksecret).
//
// Tables: confirmations, confirmation_mails, confirmation_secret. Ports: it uses Passwords and Credentials of accounts,
// and Outbox of mail.
package confirmations
