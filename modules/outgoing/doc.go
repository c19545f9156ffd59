// Package outgoing calls the services of outgoing webhook bots. Sending a direct message to such a bot, or sending or
// editing a channel message that mentions it, queues a call in the same commit (message.Calls). A job makes the call
// later, and the bot posts the answer in the message's current conversation.
//
// A call is made at least once and answered at most once. The service gets only what the bot is allowed to read at the
// time of the call. The bot may answer in a channel where it could not post otherwise, since a user there called it,
// but not in an archived channel.
//
// Only timeouts and failed connections are retried. After the last failed attempt, the bot posts "Failure!" with the
// reason, and the notification bot sends the bot's owner a link to the message with the service's answer, with a rate
// limit per bot. Causes that could reveal the server's network are only logged. An empty answer with a success status
// is not a failure.
//
// Queued and concurrent calls are limited per bot and owner, concurrent ones also per realm, and owners take turns, so
// that a slow service does not delay calls to others.
//
// Tables: outgoing_calls, the queue, and outgoing_failures, which records when an owner was last notified.
//
// Events: none. Ports: it uses BotServices, MessageObjects, Sender and Webhooks. Hooks: message.Sent, message.Edited.
package outgoing
