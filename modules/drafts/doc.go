// Package drafts synchronizes users' unsent messages between their clients.
//
// Table: drafts. Events, only to the user: drafts add, update, remove.
package drafts
