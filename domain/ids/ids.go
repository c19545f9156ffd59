// Package ids holds the identifiers that their own aggregates can't define. realm imports group imports user, and a
// user belongs to a realm; an actor has a session, which belongs to a user. Everywhere else say realm.ID and
// session.ID.
package ids

// Realm identifies a realm on this server.
type Realm int64

// Session identifies a browser in which somebody is logged in.
type Session int64
