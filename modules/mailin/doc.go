// Package mailin turns emails into messages: replies to emails about missed messages, and emails to the addresses of
// channels. It is off by default. A mail server delivers the emails of a domain to it (adapters.incoming).
//
// A reply address belongs to one user and one message. It contains an unguessable proof, made with a secret that the
// database stores only encrypted. A reply becomes a message of that user in the message's current conversation, with
// the user's current permissions. It is accepted only from the user's own address, so that people to whom the email was
// forwarded do not answer in the user's name by mistake.
//
// A channel address (GET /streams/{stream_id}/email_address) is also a secret. Users give it to services and mailing
// lists. Anyone who has it can post in the channel as long as the user who requested it is allowed to post there. The
// subject becomes the topic. Such a message mentions no one, and links only to what that user is allowed to see.
//
// Attachments are stored through uploads, and the message links to them.
//
// Tables: mailin_replies, mailin_secret. Events: none. Ports: it provides Replies to mailnotify.
//
// Surprising rules:
//
//   - Unknown and expired addresses and those of deactivated accounts are refused with the same error.
//   - Automatic emails (absence notices, bounces) are accepted and dropped, so that nothing answers them; emails of
//     mailing lists are dropped as replies, but posted to channels.
//   - For an email without plain text, the text of its HTML is used. Trailing quotations and signatures are removed,
//     unless a channel address contains .include-quotes or .include-footer instead of, or in addition to, .show-sender.
//   - An email that is delivered twice within a day, for example after a crash, is posted once; it is recognized by its
//     Message-ID.
package mailin
