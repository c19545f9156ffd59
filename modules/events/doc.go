// Package events delivers changes to clients: POST /register returns a snapshot and a queue, GET /events the changes
// since then.
//
// A queue is one row, and the client keeps the cursor. No event is written per queue, and polls write nothing: a poll
// computes the queue's events from the organization's log. So queues survive a restart, any node serves any poll, and a
// message to 100,000 people costs no more than one to ten.
//
// Held polls wait in the HTTP server without a goroutine. hub.go wakes the polls of users addressed by an event;
// merge.go assembles the /register answer from sections.
//
// Ports: it provides Listeners (who is connected). Every module adds to the snapshot through kit.Register.
//
// Table: event_queues.
//
// Events: heartbeat, restart, and those of all other modules.
package events
