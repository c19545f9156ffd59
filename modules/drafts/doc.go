// Package drafts keeps what people have written but not sent, for all their clients.
//
// Table: drafts. Events: drafts add, update, remove, to the person alone.
package drafts
