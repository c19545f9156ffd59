// Package outgoing calls the services of outgoing webhook bots. Sending a direct message to such a bot, or sending or
// editing a channel message that mentions it, queues a call in the same commit (message.Calls). A job makes the call
// later, and the bot posts the answer in the message's current conversation.
//
// A call is made at least once, and its answer is posted at most once. The service receives only what the bot is
// allowed to read at the time of the call. The bot may reply in channels in which it may not post otherwise, because a
// user of the channel called it, but not in archived channels.
//
// Only timeouts and failed connections are retried. After the last failed attempt, the bot posts "Failure!" with the
// reason, and the notification bot sends the bot's owner a link to the message and the service's response; these
// notices are rate-limited per bot. Causes that could reveal the server's network are only logged. An empty response
// with a success status is not a failure.
//
// Queued and concurrent calls are limited per bot and owner, concurrent calls also per realm, and owners take turns, so
// that a slow service does not delay calls to other services.
//
// Tables: outgoing_calls, the queue, and outgoing_failures, which records when a bot's owner was last notified.
//
// Events: none. Ports: it uses Sender and Webhooks. Queries: it asks bot.ServiceOf and message.ObjectFor. Hooks:
// message.Sent, message.Edited.
package outgoing
