// Package invites manages how people join an organization: by email invitation, by a link that any number of people can
// use, or by signing up if no invitation is required.
//
// Rules:
//
//   - An invitation by email proves the address. Users of a link, and those without an invitation, first receive an
//     email with another link, which creates the account. If the server does not send email, it creates the account
//     immediately, unless the organization restricts addresses to domains: without email, the server cannot verify
//     addresses.
//   - Links in emails use http.url, never the host of a request. A server that sends email does not start without it.
//   - An invitation grants only what its inviter could grant when it is used. It omits channels and groups to which the
//     inviter can no longer give access. When a user's role changes, invitations that they could no longer create are
//     revoked; when a user is deactivated, all of their invitations are, and those of their bots.
//   - Bots invite like users, with their own role and permissions. Their invitations count toward their owner's limits,
//     and the owner is notified of who has joined.
//   - Only owners see links that create owners. Administrators see all other links, but link_url is empty for callers
//     who could not create the link themselves: otherwise they could use it to join under another name and gain access
//     that they lack.
//   - Limits per realm and day are shared (domain/quota): one inviter can use a part of them, by email or by link.
//   - Keys of invitations are neither stored nor logged. They are derived from a secret (kit/linksecret).
//
// Ports: it uses Accounts, Passwords, Sender, Outbox and, if the server has them, Sessions. Other modules subscribe new
// users and add them to groups through the hook user.Joined.
//
// Tables: invites, invite_mails, invite_secret.
//
// Events: invites_changed, to administrators and the inviter.
package invites
