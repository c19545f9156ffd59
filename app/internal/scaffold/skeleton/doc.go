// Package skeleton stores items: short texts that each user keeps for themselves.
//
// Users can access only their own items. No one else, including administrators, can read or change them.
//
// Table: skeleton_items.
//
// Events, only to the owner: skeleton/add and skeleton/remove.
//
// Register: skeleton. The response for another user's item is the same as for a missing one. Items are deleted with the
// user's profile and with the realm.
package skeleton
