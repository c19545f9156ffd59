// Package presence keeps when people were last active. Clients report that they are connected, and whether the person
// is active; in return they receive the times that have changed since their last report, one row per change. In a small
// organization, people who come online are announced by an event at once.
//
// A report waits for the organization's writer: under the realm's lock it takes the next counter, so that no reader on
// any node sees a counter before all lower ones. Whoever comes to know of people is told their times.
//
// Table: presences. Event: presence.
package presence
