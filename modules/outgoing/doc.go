// Package outgoing calls the services of outgoing webhook bots. A channel message that mentions such a bot, when sent
// or edited, and a direct message to it, queue a call in their own commit (message.Calls). A job makes the call later,
// and the bot posts the answer in the message's current conversation.
//
// A call is made at least once and answered at most once. The service gets only what the bot may read at the time of
// the call. The bot may answer in a channel where it could not post otherwise, since a user there asked it; archived
// channels stay closed.
//
// Only timeouts and failed connections are retried. When a call has finally failed, the bot posts "Failure!" with the
// reason, and the notification bot sends the bot's owner a link to the message with the service's answer, with a rate
// limit per bot. Causes that could reveal the server's network are only logged. An empty answer with a success status
// is not a failure.
//
// Queued and concurrent calls are limited per bot and owner, concurrent ones also per realm, and owners take turns, so
// that a slow service delays no one else's.
//
// Tables: outgoing_calls, the queue, and outgoing_failures, which records when an owner was last notified.
//
// Events: none. Ports: it uses BotServices, MessageObjects, Sender and Webhooks. Hooks: message.Sent, message.Edited.
package outgoing
