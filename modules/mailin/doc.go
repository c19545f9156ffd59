// Package mailin makes messages of emails: replies to emails about missed messages, and mails to the addresses of
// channels. It is off by default; the mail server of the organization hands over the mails for a domain
// (adapters.incoming).
//
// An address for replies belongs to one person and one message. It holds a proof that nobody guesses, made with a
// secret that the database holds only sealed. A reply becomes a message of that person in the conversation in which
// the message is now, with the rights that the person has now. It is taken only if it comes from the person's own
// address, so that whoever was forwarded the email does not answer in their name by mistake.
//
// An address of a channel (GET /streams/{stream_id}/email_address) is a secret too, which people give to services and
// mailing lists; whoever knows it posts in the channel, for as long as the person who asked for it may post there. The
// subject becomes the topic. Such a message mentions nobody, and links to no more than that person may see.
//
// Files that are attached are stored through uploads, and the message links to them.
//
// Tables: mailin_replies, mailin_secret. No events. Ports: it gives Replies to mailnotify.
//
// Rules that may surprise:
//   - Addresses that are unknown, expired, or of accounts that have ended are refused alike.
//   - What a program has sent by itself (notices of absence, bounces) is taken and dropped, so that nothing answers to
//     it; mails of mailing lists are dropped as replies, and posted to channels.
//   - Of a mail without plain text, the text of its page is taken. What it quotes at its end, and signatures, are left
//     out, unless the address of a channel has .include-quotes or .include-footer instead of, or besides, .show-sender.
//   - A mail that is handed over twice within a day, because the server was lost in between, is posted once; it is
//     known again by its Message-ID.
package mailin
