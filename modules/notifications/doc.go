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
// Do not disturb: PATCH /users/me/do_not_disturb pauses a user's notifications until a time, or allows them only in the
// hours of a weekly schedule, in the user's time zone. Meanwhile nothing is pushed to browsers and phones, also not
// later, and clients show no notifications and play no sounds; emails about missed messages are sent as usual. Nobody
// else is told. This is an extension of the API: clients with the capability do_not_disturb receive the event
// do_not_disturb, and /register contains the hours if they are requested by name. Both have the keys paused_until, in
// seconds since 1970 (0: not paused), and schedule: null, or an object with days (1 is Monday), from and to, such as
// "09:00"; in requests, {} is none. If from is later than to, the hours end on the next day.
//
// Tables: notification_messages, notification_waits, quiet_hours. Event: do_not_disturb. Ports: provides Notifier, by
// which other modules notify users of messages.
package notifications
