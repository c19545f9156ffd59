// Package mailin makes messages of emails: replies to emails about missed messages. It is off by default; the mail
// server of the organization hands over the mails for a domain (adapters.incoming).
//
// An address for replies belongs to one person and one message. It holds a proof that nobody guesses, made with a secret
// that the database holds only sealed. A reply becomes a message of that person in the conversation in which the message
// is now, with the rights that the person has now. It is taken only if it comes from the person's own address, so that
// whoever was forwarded the email does not answer in their name by mistake.
//
// Tables: mailin_replies, mailin_secret. No events. Ports: it gives Replies to mailnotify.
//
// Rules that may surprise:
//   - Addresses that are unknown, expired, or of accounts that have ended are refused alike.
//   - What a program has sent by itself (notices of absence, bounces, mailing lists) is taken and dropped, so that
//     nothing answers to it.
//   - Only plain text is read. What a reply quotes at its end, and signatures, are left out; so are attachments.
//   - A mail that is handed over twice within a day, because the server was lost in between, is posted once; it is known
//     again by its Message-ID.
package mailin
