// Package readstate keeps what users have read: floors, chunks and subscription periods, and the endpoints that mark
// messages. The rules are in domain/readstate; this package decides what is stored, and when.
//
// Sending stores nothing per reader. A mark rewrites a user's floor and one row per 65,536 ids that it touches. Ending
// a subscription only closes its period. What determines who has a message unread is cached in memory (cache.go) and
// packed in the database for nodes that start (pack.go).
package readstate
