// Package scheduled sends messages at a time that their senders have chosen, and reminds people of messages.
//
// Tables: scheduled_messages, with one row for each message or reminder, and scheduled_turn, which says what node delivers at present.
//
// A message is checked like a new one when it is scheduled or changed, and again when it is sent. It is removed in the transaction
// that sends it (ports.Dispatcher), so it is sent exactly once even if the process is killed at any moment, or if two nodes deliver
// at the same time. The turn only keeps nodes from doing the same work; it ends by itself within a second. A message that is
// more than 10 minutes late, because no server was running, is not sent. A reminder is sent however late it is. Of a failure the
// notification bot tells the sender in the same transaction, unless the sender or the organization is deactivated; the message
// stays, marked as failed, until the sender gives it another time or deletes it.
//
// Everybody sees and changes only their own; nobody else, administrators included, learns of them. All writes to a row happen under
// the realm's lock. Rows of what was sent are emptied, and deleted a day later, so that a late change can be told why it failed.
//
// Events, to the owner only: scheduled_messages/add, update and remove, reminders/add and remove. The log holds IDs; content is read
// when an event is delivered. Register: scheduled_messages and reminders. Hook events: scheduled.Created, Changed and Removed.
// Ports: Dispatcher and Sender to send, Messages to read what a reminder is about.
package scheduled
