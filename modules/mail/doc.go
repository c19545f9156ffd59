// Package mail implements the outbox: emails are queued in the transaction of the change that they report, and a job
// sends them afterwards. The queue stores only a reference to what the email is about; the text is composed when the
// email is sent (hook event mail.Writing), so that it is never out of date.
//
// An email is retried with growing pauses until the mail server accepts or refuses it. It keeps its Message-ID, so that
// duplicates after a crash can be recognized. GET /health reports emails that could not be sent for a long time.
//
// Table: mail_queue. Ports: it provides Outbox and uses Mailer (adapters.mail).
package mail
