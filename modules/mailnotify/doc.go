// Package mailnotify tells people by email of messages that they have missed, and of logins from new devices.
//
// The module notifications decides who misses a message (notification.Raised). A person's missed messages are
// collected for as long as they have set (email_notifications_batching_period_seconds), beginning with the first, and
// then become one letter for each conversation, in the transaction that hands them to the outbox. When a letter is
// written, messages that have been read, deleted or hidden from the person meanwhile are left out; a letter about
// none is not sent. A person gets at most ten letters at a time; what is left waits as long again.
//
// Names, topics and texts are in a mail only where both the organization and the person allow it. Otherwise the mail
// says no more than that there are new messages.
//
// A login is from a new device if nobody has logged in to the account before from the same kind of program in the same
// network (user.SessionBegun, user.KeyIssued). Of both only a hash is stored. The first hour of an account is left out.
//
// Digests go out once a week, where the organization wants them (digest_emails_enabled) on its weekday
// (digest_weekday), to people who were away for five days: the liveliest discussions in their channels with messages
// that they have not read, and new channels. A digest whose posting is interrupted goes on at the same day, and nobody
// is left out or gets two. What is in a letter is decided anew when it is written.
//
// Each mail can be unsubscribed from by one click (RFC 8058). The links have keys made with a secret that the
// database holds only sealed; they need no login, act on GET and on POST, and switch off the settings that the mail
// comes from.
//
// Tables: missed_messages, missed_people, missed_letters, missed_secret, login_devices, login_notices,
// digest_runs, digest_letters. It runs only where emails are delivered, and needs http.url then.
package mailnotify
