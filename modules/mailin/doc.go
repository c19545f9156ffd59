// Package mailin turns emails into messages: replies to emails about missed messages, and emails to the addresses of
// channels. It is off by default. A mail server delivers the emails of a domain to it (adapters.incoming).
//
// A reply address belongs to one user and one message. It contains a signature, computed with a secret that the
// database stores only encrypted. A reply is posted as that user, with the user's current permissions, in the
// conversation that now contains the message. It is accepted only from the user's own email address, so that people to
// whom the email was forwarded do not reply in the user's name by mistake.
//
// A channel address (GET /streams/{stream_id}/email_address) is also a secret. Users give it to services and mailing
// lists. Anyone who has it can post in the channel as long as the user who requested it is allowed to post there. The
// subject becomes the topic. Such messages mention no one, and link only to what that user is allowed to see.
//
// Attachments are stored as uploads, and the message links to them.
//
// Tables: mailin_replies, mailin_secret. Events: none. Queries: it answers mailin.ReplyAddress.
//
// Surprising rules:
//
//   - Unknown addresses, expired addresses and addresses of deactivated accounts are rejected with the same error.
//   - Automatic emails (absence notices, bounces) are accepted and dropped, because rejecting them could cause a mail
//     loop. Emails from mailing lists are dropped as replies, but posted to channels.
//   - New and forwarded emails are posted as they are. From replies (In-Reply-To or References, or a reply address),
//     what they quote from the earlier email is removed, and the signature, unless a channel address has the option
//     .include-quotes or .include-footer. In doubt, lines count as the sender's own. The option .show-sender, which can
//     be combined with these, adds the email's author to the message.
//   - If an email has no plain text, its HTML becomes Markdown. Images elsewhere are not shown, only described.
//   - A reply to a conversation with deactivated users reaches the others.
//   - A text that is too long for a message is shortened, and attached as a file.
//   - An email that is delivered twice within a day, for example after a crash, is posted once. It is recognized by its
//     Message-ID.
package mailin
