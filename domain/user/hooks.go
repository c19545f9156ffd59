package user

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/stoachat/stoa/domain/ids"
)

// Joined is a hook event that runs in the commit that creates a user, after the user's own entry (channels: default
// subscriptions; groups: role-based groups; messages: welcome and announcement). It does not run for the server's own
// bots. An error rolls the commit back.
type Joined struct {
	Realm ids.Realm
	By    Actor
	User  *User

	Channels          []ids.Channel // channels to subscribe to besides the default ones; permissions have been checked
	Groups            []ids.Group   // groups to join; permissions have been checked
	NoDefaultChannels bool          // do not subscribe to the default channels
	Welcome           *string       // text of the welcome message; nil: the realm's, "": none
}

// RoleChanged is a hook event that runs in the commit that changes a user's role, after the user's own entry. An error
// rolls it back.
type RoleChanged struct {
	Realm ids.Realm
	By    Actor
	Old   *User
	User  *User
}

// SettingsChanged is a hook event that runs in the commit that changes a user's personal settings, after the user's
// own entries. An error rolls it back.
type SettingsChanged struct {
	Realm ids.Realm
	By    Actor
	Old   *User
	User  *User
}

// Deactivated is a hook event that runs in the commit that deactivates a user, before the user's own entry (channels
// end subscriptions, events end queues). An error rolls it back.
type Deactivated struct {
	Realm ids.Realm
	By    Actor
	User  ID

	Comment *string // for the email to the user; nil: no email, "": an email without comment
}

// ProfileDeleted is a hook event that runs in the commit that deletes a user's profile, after the user's own entries
// (avatars: the picture; profilefields and status: their values; drafts and navigation: private data). An error rolls
// it back.
type ProfileDeleted struct {
	Realm ids.Realm
	By    Actor
	Old   *User
	User  *User
}

// MessageDeletionRequested is a hook event that runs in the commit that requests the deletion of a user's messages.
// messages records the request and deletes them soon. An error rolls it back.
type MessageDeletionRequested struct {
	Realm    ids.Realm
	By       Actor
	User     ID
	Deletion Deletion
}

// Reactivated is a hook event that runs in the commit that reactivates a user, after the user's own entry (channels
// restores the kept subscriptions). An error rolls it back.
type Reactivated struct {
	Realm ids.Realm
	By    Actor
	User  ID
}

// RecentlyActive is a query for the users of a realm who have been active since a time. The result is a Set.
type RecentlyActive struct {
	Realm ids.Realm
	Since time.Time
}

// KeysRevoked is a hook event that runs in the commit that revokes all API keys of a user, except a new one. An error
// rolls it back.
type KeysRevoked struct {
	Realm ids.Realm
	User  ID
}

// NewestMessage is a query for the ID of the newest message that a user has received. messages returns an int64, which
// is NoMessage if there is none.
type NewestMessage struct {
	Realm ids.Realm
	User  ID
}

// NoMessage takes the place of the ID of a message that does not exist.
const NoMessage = -1

// UploadedAvatar is a query that stores an uploaded file as an avatar, to be set for another user: a bot of the
// uploader. It runs outside of transactions. The result is a SetAvatar. Errors: BadImage, Unavailable; those of File.
type UploadedAvatar struct {
	By   Actor
	File io.Reader
}

// SetAvatar sets a user's avatar to a stored one and logs the events, within a unit of work. The caller has checked
// permissions.
type SetAvatar func(ctx context.Context, u ID) error

// EmailChangeRequested is a hook event that runs in the commit of PATCH /settings when a user requests a new email
// address, which has to be verified (confirmations: sends an email with a link). The realm's rules have been checked;
// the address may still be that of a user whom the requester cannot see. Without a handler, users can't change their
// addresses. An error refuses the whole change.
type EmailChangeRequested struct {
	Realm ids.Realm
	By    Actor
	User  *User
	Email string // in stored form
}

// LoginChanged is a hook event that runs in the commit, after the user's own entries, when a user's email or password
// has changed (confirmations: revokes earlier links). An error rolls it back.
type LoginChanged struct {
	Realm     ids.Realm
	By        Actor
	Old, User *User // equal addresses if the password changed
	Password  bool  // the password changed
}

// HasPassword is a query whether a user can log in with a password. The result is a bool.
type HasPassword struct {
	Realm ids.Realm
	User  ID
	Own   bool // a password that the server stores, and not only a directory
}

// RecordOf is a query for the record of a user as they see it themselves. accounts returns a Record.
type RecordOf struct {
	Realm ids.Realm
	User  ID
}

// Record is a user's record as JSON.
type Record json.RawMessage

// MarshalJSON implements json.Marshaler.
func (r Record) MarshalJSON() ([]byte, error) { return r, nil }

// SessionBegun is a hook event that runs in the commit that logs a browser in (accounts: a user created by an
// administrator joins with the first login). An error rolls it back.
type SessionBegun struct {
	Realm   ids.Realm
	By      Actor
	User    ID
	Session ids.Session
	Origin  string // see signin.Flow
}

// KeyIssued is a hook event that runs in the transaction that creates an API key for an app or a bot. By is the
// requester, with the app's Agent and From. An error rolls the transaction back.
type KeyIssued struct {
	Realm ids.Realm
	By    Actor
	User  ID
}
