// Package drafts synchronizes users' unsent messages between their clients.
//
// Table: drafts. Events: drafts add, update, remove, to the user alone.
package drafts
