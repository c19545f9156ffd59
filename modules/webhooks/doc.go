// Package webhooks receives incoming webhooks: POST /external/:integration turns a request from a service such as
// GitHub into a message from the account whose API key is in the URL, normally an incoming webhook bot.
//
// The package internal/format contains the services. Each of them is a value with a name, event names and a pure
// function from the payload to a message; adding one takes a file there and a line in format.All.
//
// The URL determines where the message goes: to the channel stream (an ID or a name) and topic, or without stream to
// the bot's owner. only_events and exclude_events filter by the name of the event.
//
// Surprising rules: an unsupported event gets HTTP 200 with an error, since services disable webhooks that fail. For
// the same reason, a message to a channel name that does not exist is accepted and dropped. The notification bot
// informs the bot's owner of mistakes in the setup, at most once in 5 minutes per bot. Mentions in a payload notify no
// one, unless the user who configures the service writes the text (Slack-compatible and JSON webhooks).
//
// Table: webhook_notices, which records when an owner was last notified. Events: none. Register:
// realm_incoming_webhook_bots. Ports: it uses Sender.
package webhooks
