// Package notifications decides who is notified of messages while they are away: by push, by email, or not at all.
//
// The commit that sends a message, or edits one so that it mentions a user, stores its ID in notification_messages;
// there is no work per reader. A job decides on these messages with notification.Case, and runs notification.Decided
// for idle users: those who have no live event queue that receives messages, or have not been active for some minutes.
// Modules that send notifications, such as push, store them in the same transaction, and send them later if the message
// is still unread. Without such a module nothing is stored.
//
// A user who is not idle may lose the connection before the message arrives. Their notifications wait in
// notification_waits until one of their clients has acknowledged the message, or until no client is left.
//
// Bots, the sender, and users who have muted the sender are never notified, and automated messages in channels notify
// no one. An edit in a channel notifies the users it newly mentions who were not notified for another reason.
//
// Tables: notification_messages, notification_waits. Events: none.
package notifications
