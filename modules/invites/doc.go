// Package invites lets people join an organization: through invitations by email, through links for any number of
// people, and by signing up where no invitation is required.
//
// Rules:
//
//   - An email to an address proves it. Users of a link, and those without an invitation, first receive an email with
//     another link, which creates the account. A server that sends no email creates the account immediately; an
//     organization that restricts addresses to domains then admits no one that way, because the server cannot verify
//     addresses.
//   - Emails link to http.url, never to a host named by a request. A server that sends email does not start without it.
//   - An invitation grants what its inviter may grant when it is used. Channels and groups that the inviter may no
//     longer give access to are left out. When a user's role changes, invitations that they could no longer create are
//     revoked; when a user is deactivated, all are.
//   - Only owners see links that create owners. Administrators see other links, but link_url is empty for those who
//     could not create such a link: they could use it to join under another name and read what they may not.
//   - No secret that allows joining is stored or logged: keys are derived from a secret (kit/linksecret).
//
// Ports: it uses Accounts, Passwords, Subscriptions, Members, Sender and Outbox.
//
// Tables: invites, invite_mails, invite_secret.
//
// Events: invites_changed, to administrators and the inviter.
package invites
