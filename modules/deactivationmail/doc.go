// Package deactivationmail sends an email to a user whose account was deactivated, if the administrator chose to notify
// the user. Bots get no email, nor do users who are reactivated before it is sent.
//
// Table: deactivation_mails. Ports: it uses Outbox of mail. Hooks: user.Deactivated, user.Reactivated.
// Queries: answers mail.Composition.
package deactivationmail
