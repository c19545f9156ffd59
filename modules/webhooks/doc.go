// Package webhooks receives incoming webhooks: POST /external/:integration turns a request from a service such as
// GitHub into a message from the account whose API key is in the URL, normally an incoming webhook bot.
//
// The package internal/format contains the services. Most are files in internal/format/services, which contain the
// templates of their messages; the README there explains how to add one. The others are values with a pure function
// from the payload to a message, listed in format.All. Templates are executed by internal/template with limits, because
// those of the JSON integration are in the URL or in the bot's settings (bot.ConfigOf), and all data is from outside.
// README.md lists the services and how to configure them.
//
// The URL determines where the message goes: to the channel stream (an ID or a name) and topic, or without stream to
// the bot's owner. only_events and exclude_events filter by the name of the event.
//
// What can be read of a payload is posted: a value of an unexpected type affects only its own field. If nothing can be
// posted, the notification bot informs the bot's owner of the reason, at most once in an hour per bot and integration,
// and the response contains it. An integration returns format.ErrSkip for requests that are meant to produce no
// message.
//
// Surprising rules: the response to an unsupported event is an error with HTTP status 200, since services disable
// webhooks that fail. For the same reason, a payload without text and a message to a channel name that does not exist
// are accepted. Mentions in a payload send no notifications, unless the user who configures the service writes the text
// (Slack-compatible and JSON webhooks) and may mention these people.
//
// Table: webhook_notices, which records when an owner was last notified. Events: none. Register:
// realm_incoming_webhook_bots. Ports: it uses Sender. Queries: it uses bot.ConfigOf.
package webhooks
