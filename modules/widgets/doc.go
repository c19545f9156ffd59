// Package widgets adds polls, to-do lists and bots' forms to messages.
//
// A message whose text begins with /poll or /todo becomes a widget when it is sent (hook message.Sending): it gets a
// first submessage that describes the widget. Bots can describe one themselves with the parameter widget_content.
// Clients draw the widget from the message's submessages; its text is rendered as for any other message. What people do
// with it, such as voting, comes in through POST /submessage and is checked against the widget before it is stored.
//
// The package also answers POST /zcommand, by which the web app changes a few of the caller's settings.
//
// It has no tables: submessages belong to messages, which store, show and delete them (ports.Submessages) and send the
// event submessage. Changing settings needs ports.UserSettings. Without this module /poll and /todo are plain text.
package widgets
