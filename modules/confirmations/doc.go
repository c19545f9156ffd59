// Package confirmations handles links in emails: confirming a new address, and setting a new password after forgetting
// the old one.
//
// Rules:
//
//   - Opening a page has no effect, because email programs open links too. The form on the page acts.
//   - Emails link to http.url, never to a host named by a request. A server that sends email does not start without it.
//     On a server that sends no email, addresses are changed by owners (accounts.change_emails) or by the operator
//     (stoa user email). On any server, owners can create password reset links for other users.
//   - A request for a new password gets the same response after the same work whether or not the address has an
//     account. The account is looked up when the email is written, and without an account no email is sent. If a
//     requested new address is taken, only an email to that address says so.
//   - When a user's address or password changes, or the user is deactivated, all earlier links become invalid. A later
//     change of address replaces an earlier one. A new password revokes all of a user's API keys.
//   - The former address is notified of every change, whoever made it. The email does not contain the new address.
//   - The keys in links are neither stored nor logged: they are derived from a secret (kit/linksecret).
//
// Tables: confirmations, confirmation_mails, confirmation_secret. Ports: it provides ResetLinks, and uses Passwords and
// Credentials of accounts, and Outbox of mail.
package confirmations
