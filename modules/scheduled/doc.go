// Package scheduled sends messages at a time chosen by their senders, and reminds users of messages.
//
// Tables: scheduled_messages, with one row per message or reminder, and scheduled_turn, which contains the lease of the
// node that currently delivers messages.
//
// A message is checked like a new one when it is scheduled or changed, and again when it is sent. It is removed in the
// transaction that sends it (ports.Dispatcher), so it is sent exactly once even if the process is killed at any time or
// two nodes deliver concurrently. The lease only avoids duplicate work. A message that is
// more than 10 minutes late, because no server was running, is not sent. A reminder is sent no matter how late it is.
// Its quotation is shown and sent only while its reader can access the message and the quoted text
// (message.Disclosure).
// The notification bot reports a failure to the sender in the same transaction, unless the sender or the organization
// is deactivated; the message is marked as failed and kept until the sender reschedules or deletes it.
//
// Users can access only their own scheduled messages. No one else, including administrators, can see that they exist.
// All writes to a row happen under the realm's lock. A sent message's row is emptied at once but deleted only a day
// later, so that a late change is rejected with a meaningful error.
//
// Events, only to the owner: scheduled_messages/add, update and remove, reminders/add and remove. The log contains only
// IDs; content is read at delivery. Register: scheduled_messages and reminders. Hook events: scheduled.Created, Changed
// and Removed. Ports: uses Dispatcher and Sender to send messages, and Messages to read the message that a reminder is
// about.
package scheduled
