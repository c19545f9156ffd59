// Package ids holds the one identifier that its own aggregate can't define: realm imports group imports user, and a user
// belongs to a realm. Everywhere else say realm.ID.
package ids

// Realm identifies a realm on this server.
type Realm int64
