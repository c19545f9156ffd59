// Package mailnotify emails users about missed messages and logins from new devices, and sends weekly digests.
//
// The module notifications decides who misses a message (notification.Decided). A user's missed messages are collected
// for the batching period that they have set (email_notifications_batching_period_seconds), starting with the first
// one. They then become one email per conversation, in the transaction that posts these to the outbox. When an email is
// composed, messages that have been read, deleted or hidden from the user in the meantime are left out; an email
// without messages is not sent. A user gets at most ten emails at once; the rest waits for another period.
//
// An email contains names, topics and texts only if both the organization and the user allow it. Otherwise it only says
// that there are new messages.
//
// A login is from a new device if the account has not been used before with the same kind of program in the same
// network (user.SessionBegun, user.KeyIssued). Only hashes of these are stored. The first hour of an account is exempt.
//
// Digests are sent once a week, if the organization enables them (digest_emails_enabled), on its weekday
// (digest_weekday), to users who were away for five days. They list the liveliest discussions in the user's channels
// with unread messages, and new channels. An interrupted run continues on the same day without gaps or duplicates. The
// content is determined when the email is composed.
//
// Each email can be unsubscribed from with one click (RFC 8058). The keys in the links are made with a secret that the
// database stores only encrypted. The links need no login, act on GET and POST, and switch off the settings that cause
// the email.
//
// Tables: missed_messages, missed_people, missed_letters, missed_secret, login_devices, login_notices, digest_runs,
// digest_letters. The module runs only where emails are delivered, and then needs http.url.
package mailnotify
