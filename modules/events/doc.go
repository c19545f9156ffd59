// Package events delivers changes to clients: POST /register returns a snapshot and a queue, GET /events what has
// happened since.
//
// A queue is one row, and the client carries the cursor. No event is ever written per queue, and no poll writes: what a
// queue receives is computed from the organization's log when it polls. So queues survive a restart, any node serves
// any poll, and a message to 100,000 people costs no more than one to ten.
//
// Held polls wait in the HTTP edge without a goroutine. hub.go wakes those whose person an event concerns; merge.go
// joins events that clients may receive as one.
//
// Ports: it provides Listeners (who is connected). Every module adds to the snapshot through kit.Register.
// Table: event_queues. Events: heartbeat, restart, and those of all other modules.
package events
