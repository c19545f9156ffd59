// Package presence records when users were last active. Clients report that they are connected and whether the user is
// active. The response contains the times that have changed since the client's last report. In a small organization, an
// event announces immediately that a user has come online.
//
// Reports go through the organization's writer. Counters are assigned under the realm's lock, so that no reader on any
// node sees a counter before all lower ones. Users who gain access to other users receive the times of those users.
//
// Clients that fail on unknown keys (event.Strict, answered by push) receive a user's presence without the two keys
// that other clients also get.
//
// Table: presences. Event: presence.
package presence
