// Package invites brings people into an organization: invitations by email, links for any number of people, and signing
// up where no invitation is needed.
//
// Rules that the specification leaves open:
//
//   - An address is proven by the email sent to it. Whoever comes by a link, or without an invitation, first receives an
//     email with another link, and the account is created when that is opened. A server that sends no email creates the
//     account at once; an organization that restricts addresses to domains then lets nobody in that way, because the
//     server could not verify the address.
//   - Emails link to http.url, never to a host named by a request. A server that sends email does not start without it.
//   - An invitation grants what its inviter may grant when it is used. Channels and groups that the inviter may no longer
//     give away are left out. When a person's role changes, invitations they could no longer send are revoked; when they
//     are deactivated, all are.
//   - Only owners see links that create owners. Administrators see other links, but link_url is empty for those who could
//     not create such a link: they could join by it under another name and read what they may not.
//   - No secret that lets anybody join is stored or logged: keys are derived from a secret (kit/linksecret).
//
// Ports: it uses Accounts, Passwords, Subscriptions, Members, Sender and Outbox.
// Tables: invites, invite_mails, invite_secret. Event: invites_changed, to administrators.
package invites
