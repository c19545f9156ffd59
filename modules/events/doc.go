// Package events delivers changes to clients: POST /register returns a snapshot and creates a queue, and GET /events
// returns the changes since then.
//
// A queue is one row, and the client stores the cursor. Events are not written per queue, and polls write nothing: a
// poll computes the queue's events from the organization's log. Queues therefore survive a restart, any node can serve
// any poll, and a message to 100,000 people costs no more than a message to ten.
//
// Held polls wait in the HTTP server without a goroutine. wake.go wakes the polls of users addressed by an event.
// holdback.go delays the responses to busy queues for some milliseconds, so that a burst of events is one response.
// merge.go assembles the /register response from sections.
//
// A queue whose client_capabilities contain narrowed_changes, and whose narrow is one channel, follows that channel: it
// receives the channel's messages, edits, moves, deletions, reactions and submessages although its user is not
// subscribed, as long as the user can read the channel's whole history. Guests follow nothing. Other queues with a
// narrow receive only messages.
//
// With the capability wildcard_mentions, unread_msgs and the details of messages that became unread tell which messages
// mention the user only with others (wildcard_mentions, wildcard_mentioned), muted places included. The capability
// status_end_times adds the end of statuses; see the module status. The capability do_not_disturb adds the event of
// that name; see the module notifications. These four capabilities are extensions of the API: clients that do not know
// them are served as before.
//
// Queries: answers event.Listening (which users have queues). Modules add sections to the snapshot with kit.Register.
//
// Table: event_queues.
//
// Events: heartbeat, restart, and the events of all other modules.
package events
