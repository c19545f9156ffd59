// Package reading is what people have received and read: flags, read state, subscription periods and mutes, their
// endpoints, events and parts of /register. The rules are domain/readstate; here is what is stored, and when.
//
// A send stores nothing per reader but the flags of those it mentions. A mark rewrites a person's floor and one row per
// 65,536 ids that it touches. Ending a subscription only closes its period. What decides who has a message unread is in
// memory (cache.go), and packed in the database for nodes that start (pack.go).
package reading
