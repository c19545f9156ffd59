// Package messages sends, finds and changes messages, and stores each reader's state for them. It connects the packages
// under internal:
//
//   - send: checks and stores new messages and sets their receivers' flags; notices: messages about changes; revise:
//     asks modules to revise content
//   - markup: renders content; links: Markdown links to users, channels and topics; rerender: renders messages again
//   - conversations: finds and creates direct conversations
//   - edit: edits and moves messages and records the history; history: returns it; typing: announces who is editing
//   - remove: deletes messages; retention: deletes old ones
//   - fetch: finds messages by narrow; search: matches words; index: adds messages to the index of words
//   - access: determines which messages a user can see; audience: which users a change affects
//   - inbox: which messages users have received; readstate: which they have read; flags: their other flags
//   - topics: a user's messages in a topic; react: reactions; submessage: widgets; archive: exports of messages
//   - arrivals, updates: the events for new and for changed messages; render: messages as sent to clients
//   - imports: writes messages of the past
//   - store: the tables; kernel: the ports that most packages use
//
// Read state takes no row per user and message: domain/readstate describes the floors, chunks and exceptions used
// instead. Sending a message therefore costs the same for ten and for 100,000 subscribers.
//
// The index of words lags behind: jobs add new messages to it, and after an upgrade replace entries of a former form.
// Searches read messages that are not indexed yet one by one, and look for tokens of both forms as long as there are
// former ones. Every candidate from the index is matched again with its text.
//
// Pages of the history are copied from rows that were encoded once for all readers (render.Rows). A row's stamp, which
// a trigger changes with every change of the row, is a part of the key, so no change has to invalidate anything. Names,
// avatars, reactions, flags and permissions are not cached.
//
// Times rise with IDs, except where messages of the past were imported after others: within each stretch of IDs
// (message_stretches), they do. What depends on times asks store.Since, and never compares IDs alone.
//
// Queries: answers message.TopicStarts, ChannelCounts, ObjectFor, InExport, MostDiscussed, Writers, ChangedSince and
// Gone, and user.NewestMessage; asks readstate.MutedPlaces, readstate.TopicFollowers, message.Revising, WidgetOf,
// message.UsableFiles, message.DetachedFiles, message.PagePreviews, message.RetentionDays, message.OldestRetained and
// realm.KnowsOnlyZulipNames.
//
// Ports: provides Sender, Dispatcher, Messages, MessageActions, Receivers, Rerenderer, Submessages, ReadStates and
// MessageImport.
//
// Tables: messages, conversations, conversation_members, message_edits, message_changes, message_archive,
// message_search, message_search_state, message_flags, message_facts, message_rendering, message_retention,
// message_stretches, message_purges, reactions, submessages, read_floor, read_chunks, subscription_periods, send_keys,
// bot_warnings.
//
// Events: message, update_message, delete_message, update_message_flags add and remove, reaction, submessage,
// typing_edit_message.
package messages
