// Package deactivationmail informs users by email that their account was deactivated, if the administrator asked for
// it. Bots get no email, and neither does a user who is reactivated before it was sent.
//
// Table: deactivation_mails. Ports: it uses Outbox of mail. Hooks: user.Deactivated, user.Reactivated.
package deactivationmail
