// Package outgoing calls the services of outgoing webhook bots. A channel message that mentions such a bot, by its text
// or by an edit, and a direct message to it, queue a call in their own commit (message.Calls). A job makes the call
// later, and the bot posts the answer where the message is then.
//
// A call is made at least once and answered at most once. The service gets only what the bot may read at the time of
// the call. The bot may answer in a channel where it could not post otherwise, since somebody there asked it; archived
// channels stay closed.
//
// Only timeouts and failed connections are tried again. When a call has failed for good, the bot posts "Failure!" with
// the reason, and the notification bot sends the bot's owner a link to the message with what the service answered, at
// most once in a while per bot. Causes that could reveal the server's network are logged and told nobody. An empty
// answer with a status of success is no failure.
//
// What waits and what is made at the same time is bounded per bot and owner, what is made also per realm, and owners
// take turns, so that a slow service delays nobody else's.
//
// Tables: outgoing_calls, the queue, and outgoing_failures, which remembers when an owner was last notified. No events,
// no register keys. Ports: BotServices, MessageObjects, Sender, Webhooks. Hooks: message.Sent, message.Edited.
package outgoing
