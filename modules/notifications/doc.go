// Package notifications decides which absent users are notified of messages, and whether by push or by email.
//
// The transaction that sends a message, or edits a message so that it mentions a user, stores the message's ID in
// notification_messages; it does no work per reader. A job evaluates notification.Case for each potential receiver and
// runs notification.Decided for idle users: those who have no live event queue that receives messages, or have not been
// active for some minutes. Modules that send notifications, such as push, store them in the same transaction and send
// them later if the message is still unread. Without such a module, nothing is stored.
//
// A user who is not idle may lose the connection before the message arrives. The user's notifications therefore wait in
// notification_waits until one of the user's clients has acknowledged the message, or until no client is connected.
//
// Bots, the sender, and users who have muted the sender are never notified, and automated messages in channels notify
// no one. An edit in a channel notifies the users that it newly mentions, unless they were notified for another reason.
//
// Tables: notification_messages, notification_waits. Events: none.
package notifications
