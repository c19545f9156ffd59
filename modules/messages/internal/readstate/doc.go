// Package readstate stores which messages users have read, as floors, chunks and subscription periods, and provides the
// endpoints that mark messages. The package domain/readstate defines when a message is unread; this package stores the
// state.
//
// Sending a message stores nothing per reader. Marking messages rewrites the user's floor and one row per affected
// chunk of 65,536 IDs. Ending a subscription only closes its period. The properties of messages that determine for whom
// they are unread (facts) are cached in memory (cache.go) and packed in the database for nodes that start (pack.go).
package readstate
