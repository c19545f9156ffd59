// Package presence records when users were last active. Clients report that they are connected and whether the user is
// active, and receive the times that have changed since their last report, one row per change. In a small organization,
// an event announces users who come online immediately.
//
// Reports go through the organization's writer: under the realm's lock each takes the next counter, so that no reader
// on any node sees a counter before all lower ones. Users who can newly see other users get their times.
//
// Table: presences. Event: presence.
package presence
