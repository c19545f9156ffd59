// Package webhooks receives incoming webhooks: POST /external/:integration turns what a service such as GitHub sends
// into a message by the account whose API key is in the URL, normally an incoming webhook bot.
//
// The package internal/format knows the services. Each of them is a value with a name, event names and a pure function
// from the payload to a message; adding one needs a file there and a line in format.All.
//
// The URL says where the message goes: stream (an ID or a name) and topic, or to the bot's owner without a stream.
// only_events and exclude_events filter by the name of the event.
//
// Rules that may surprise: an event that is known but makes no message is answered with HTTP 200 and an error, since
// services disable webhooks that fail. So is a message for a channel name that does not exist. The owner of the bot is
// told about mistakes in a direct message from the notification bot, at most once in 5 minutes per bot. Mentions in a
// payload notify nobody, except where whoever configures the service writes the text (Slack-compatible and JSON
// webhooks).
//
// Table: webhook_notices, which remembers when an owner was last told. No events. Register:
// realm_incoming_webhook_bots. Ports: Sender.
package webhooks
