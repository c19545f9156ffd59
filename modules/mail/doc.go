// Package mail implements the outbox: emails are queued in the transaction of the change that they report, and a job
// sends them afterwards. The queue stores only a reference to the email's subject matter; the text is composed when the
// email is sent (query mail.Composition), so that it is never out of date.
//
// An email is retried with exponential backoff until the mail server accepts or rejects it. All attempts use the same
// Message-ID, so that duplicates after a crash can be recognized. GET /health reports emails that are long overdue.
//
// Table: mail_queue. Ports: it provides Outbox and uses Mailer (adapters.mail).
package mail
