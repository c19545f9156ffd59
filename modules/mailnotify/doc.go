// Package mailnotify emails users about missed messages and logins from new devices, and sends weekly digests.
//
// The module notifications decides who misses a message (notification.Decided). A user's missed messages are collected
// for the batching period in the user's settings (email_notifications_batching_period_seconds), starting with the first
// one. The module then creates one email per conversation, in the transaction that posts the emails to the outbox.
// Messages that have been read, deleted or hidden from the user are omitted when the email is composed; an email
// without messages is not sent. A user gets at most ten emails at once. Other missed messages wait for another period.
//
// An email contains names, topics and texts only if both the organization and the user allow it. Otherwise it only
// contains the number of new messages.
//
// Messages are shown in plain text and in simple HTML (ports.Renderer): times in the user's time zone and language,
// links with absolute addresses, pictures as links, and spoilers without their content.
//
// A login is from a new device if the user has never logged in with the same program from the same network before
// (user.SessionBegun, user.KeyIssued). Only hashes of program and network are stored. Logins in the first hour of an
// account are not reported.
//
// If the organization enables digests (digest_emails_enabled), they are sent once a week (digest_weekday) to users who
// were away for five days. They list the most active discussions with unread messages in the user's channels, and new
// channels. An interrupted run continues on the same day without gaps or duplicates. The messages that a digest shows
// are read when the email is composed.
//
// Users can unsubscribe from each type of email with one click (RFC 8058). The keys in the links are derived from a
// secret that the database stores only encrypted. The links need no login, work with GET and POST, and disable the
// settings that cause the email.
//
// Tables: missed_messages, missed_people, missed_letters, missed_secret, login_devices, login_notices, digest_runs,
// digest_letters. The module sends nothing unless the server delivers email, which requires http.url.
package mailnotify
