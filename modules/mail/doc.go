// Package mail is the outbox: emails are queued in the transaction of the change that they are about, and a job sends
// them afterwards. Only what an email is about is queued; its text is written when it is sent (the hook mail.Writing),
// so that it never tells what is no longer true.
//
// An email is retried with growing pauses until the mail server takes or refuses it. It keeps its Message-ID, so that
// one sent twice after a crash can be recognized. GET /health reports emails that wait for long.
//
// Ports: it provides Outbox and uses Mailer (adapters.mail). Table: mail_queue.
package mail
