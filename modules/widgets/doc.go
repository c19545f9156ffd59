// Package widgets adds polls, to-do lists and bots' forms to messages.
//
// A message whose text begins with /poll or /todo becomes a widget when it is sent (query message.WidgetOf): it gets a
// first submessage that describes the widget. Bots can provide their own description with the parameter widget_content.
// Clients draw the widget from the message's submessages; the text is rendered as in any other message. Users' actions,
// such as votes, arrive through POST /submessage and are checked against the widget before they are stored. A vote
// replaces the voter's former votes for the same option. Each user, with all of the user's bots, has a share of a
// message's submessages (message.MaxOwnSubmessages), so that no one can close a poll for others.
//
// The package also serves POST /zcommand, which changes a few of the caller's settings.
//
// Tables: none; submessages belong to messages, which store, show and delete them (ports.Submessages) and send the
// event submessage. Ports: it also uses UserSettings. Without this module /poll and /todo are plain text.
package widgets
