// Package confirmations handles what people do by a link in an email: confirming a new address, and setting a new
// password when they have forgotten theirs.
//
// Rules that the specification leaves open:
//
//   - Opening a page changes nothing, because mail programs open links too. The form on the page acts.
//   - Emails link to http.url, never to a host named by a request. A server that sends email does not start without it.
//     On one that sends none, owners change addresses (accounts.change_emails), or whoever runs it (stoa user email);
//     owners can create links to new passwords for others on any server.
//   - A request for a new password gets the same answer after the same work whether or not the address has an account.
//     The account is looked up when the email is written, and an email to nobody is not sent. Asking to change to an
//     address that somebody else has is answered by an email to that address alone.
//   - When a person's address or password changes, or they are deactivated, all links sent before become invalid. A later
//     change of address replaces an earlier one. A new password ends all of a person's API keys.
//   - The former address is informed of a change, whoever made it, but not of the new address.
//   - No secret is stored or logged: keys are derived from a secret (kit/linksecret).
//
// Ports: it uses Passwords and Credentials of accounts, and Outbox of mail.
// Tables: confirmations, confirmation_mails, confirmation_secret.
package confirmations
