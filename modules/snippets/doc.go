// Package snippets keeps saved snippets: titled pieces of text that a person inserts into messages later.
//
// Every person has their own; nobody else, administrators included, can read or change them. Bots have none.
//
// Table: saved_snippets.
//
// Events, to the owner only: saved_snippets/add, saved_snippets/update and saved_snippets/remove. The log holds only
// the snippet's ID. The content is read when the event is delivered, so deleted text does not survive in the log, and a
// client that polls after the deletion receives only the removal.
//
// Register: saved_snippets. A snippet of somebody else gets the same answer as a missing one. Snippets are deleted with
// the person's profile and with the realm.
package snippets
