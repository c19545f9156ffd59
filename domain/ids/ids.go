// Package ids holds identifiers that can't be defined in the packages of their entities without an import cycle: realm
// imports group, which imports user, but a user belongs to a realm and an actor has a session. Everywhere else use
// realm.ID and session.ID.
package ids

// Realm identifies a realm on this server.
type Realm int64

// Session identifies a browser login.
type Session int64
