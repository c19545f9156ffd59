// Package snippets stores saved snippets: titled pieces of text that a user can insert into messages.
//
// Users can access only their own snippets. No one else, including administrators, can read or change them. Bots have
// no snippets.
//
// Table: saved_snippets.
//
// Events, only to the owner: saved_snippets/add, saved_snippets/update and saved_snippets/remove. The log contains only
// the snippet's ID. The content is read at delivery, so that deleted text does not survive in the log, and a client
// that polls after the deletion receives only the removal.
//
// Register: saved_snippets. The response for another user's snippet is the same as for a missing one. Snippets are
// deleted with the user's profile and with the realm.
package snippets
