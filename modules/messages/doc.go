// Package messages sends, finds and changes messages, and keeps each reader's state of them. It wires the packages
// under internal:
//
//   - send: checks and stores new messages, and sets the flags of receivers; notices: messages about changes
//   - markup: renders texts; links: Markdown that refers to users, channels and topics; conversations: direct ones
//   - edit: edits, moves and the history of both; remove: deletion and the archive; retention: age limits
//   - fetch: windows of narrows; search: full text; access: who may see which message
//   - inbox: what users have received; readstate: what they have read; flags: their flags of messages
//   - audience: the users affected by a change; topics: what users have of a topic
//   - react: reactions; submessage: widgets
//   - render: messages as clients receive them; store: the rows
//
// There is no row per user and message for what is read: domain/readstate describes floors, chunks and exceptions.
// Sending therefore costs the same for ten and for 100,000 subscribers.
//
// Queries: it answers message.TopicStarts and message.ChannelCounts, and asks readstate.MutedPlaces,
// readstate.TopicFollowers, message.PagePreviews, message.RetentionDays and message.OldestRetained.
// Ports: it provides Sender, Dispatcher, Messages, Receivers, Discussions, Rerenderer, MessageObjects, Submessages,
// ReadStates and ExportedMessages.
// Tables: messages, conversations, conversation_members, message_edits, message_changes, message_archive,
// message_search, message_search_state, message_flags, message_facts, message_rendering, message_retention,
// message_purges, reactions, submessages, read_floor, read_chunks, subscription_periods, send_keys, bot_warnings.
// Events: message, update_message, delete_message, update_message_flags add and remove, reaction, submessage.
package messages
