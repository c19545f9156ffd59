// Package ids holds identifiers that can't be defined in the packages of their entities without an import cycle: realm
// imports group, which imports user, but a user belongs to a realm, an actor has a session, and a new user joins
// channels and groups. Everywhere else use realm.ID, session.ID, channel.ID and group.ID.
package ids

// Channel identifies a channel on this server.
type Channel int64

// Group identifies a user group.
type Group int64

// Realm identifies a realm on this server.
type Realm int64

// Session identifies a browser login.
type Session int64
