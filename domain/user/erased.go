package user

import (
	"fmt"

	"github.com/stoachat/stoa/domain/ids"
)

// Erasing is a hook event that runs while the data of a deactivated user without a profile is erased, for the user and
// each of their bots, before the rows that name the user are deleted (kit.Table). It runs outside of transactions.
// Handlers delete what has no such row, such as blobs, and what remains after user.ProfileDeleted until a job deletes
// it. If one fails, the erasure stops, and can be repeated; all handlers then run again.
type Erasing struct {
	Realm    ids.Realm
	By       Actor
	User     *User // still with the address
	Messages bool  // messages and files that the user has sent are deleted
}

// ErasedEmail returns the address of an erased account. It cannot receive email (RFC 2606).
func ErasedEmail(id ID) string { return fmt.Sprintf("deleted-user-%d@erased.invalid", id) }

// Anonymous returns u without anything that identifies the person. It has already lost its profile.
func (u *User) Anonymous() *User {
	now := *u
	now.DeliveryEmail, now.Keys, now.Settings = ErasedEmail(u.ID), nil, Defaults()
	now.Settings.EmailAddressVisibility = NobodySees
	return &now
}

// Erased reports whether the user's data has been erased.
func (u *User) Erased() bool { return u.DeliveryEmail == ErasedEmail(u.ID) }
