// Package notifications decides who is notified of messages while they are not looking: by push, by email, or not at
// all.
//
// The commit that sends a message, or edits one so that it mentions someone, stores its ID in notification_messages;
// there is no work per reader. A job judges these messages by notification.Case, and runs notification.Raised for
// people who are idle: those without a live event queue that takes messages, or not present for some minutes. Modules
// that notify, such as push, store what they are going to send in the same transaction, and send it later if it is
// still unread. Without such a module nothing is stored.
//
// Whoever is not idle may lose the connection before the message arrives. Their notifications wait in
// notification_waits until one of their clients has confirmed the message, or until they have no client any more.
//
// Never notified are bots, the sender, people who have muted the sender, and anyone by automated messages in
// channels. An edit notifies those whom it newly mentions in a channel and who were not notified for another reason.
package notifications
