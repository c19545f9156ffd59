package user

import (
	"context"
	"io"
	"time"

	"github.com/stoachat/stoa/domain/ids"
)

// Joined runs in the commit that makes a user, after the user's own entry (channels: default subscriptions; groups: the
// groups that follow from the role; messages: welcome and announcement). It does not run for the server's own bots. An
// error rolls it back.
type Joined struct {
	Realm ids.Realm
	By    Actor
	User  *User

	NoDefaultChannels bool    // whoever makes the account says what the user subscribes to
	Welcome           *string // what the Welcome Bot tells them; nil: what the realm has for everybody, "": nothing
}

// RoleChanged runs in the commit, after the user's own entry. An error rolls it back.
type RoleChanged struct {
	Realm ids.Realm
	By    Actor
	Old   *User
	User  *User
}

// SettingsChanged runs in the commit that changes what somebody has set for themselves, after the user's own entries.
// An error rolls it back.
type SettingsChanged struct {
	Realm ids.Realm
	By    Actor
	Old   *User
	User  *User
}

// Deactivated runs in the commit, before the user's own entry (channels end subscriptions, events end queues). An error
// rolls it back.
type Deactivated struct {
	Realm ids.Realm
	By    Actor
	User  ID

	Comment *string // what they are told of it by mail: nil: nothing, "": that it is so (farewells)
}

// ProfileDeleted runs in the commit that takes away what somebody has told of themselves, after the user's own entries
// (avatars: the picture; profilefields and status: what they say; drafts and navigation: what they keep). An error
// rolls it back.
type ProfileDeleted struct {
	Realm ids.Realm
	By    Actor
	Old   *User
	User  *User
}

// MessagesUnwanted runs in the commit that says that what somebody has sent so far is to be deleted. messages notes it,
// and deletes it soon. An error rolls it back.
type MessagesUnwanted struct {
	Realm    ids.Realm
	By       Actor
	User     ID
	Deletion Deletion
}

// Reactivated runs in the commit, after the user's own entry (channels takes the kept subscriptions up again). An error
// rolls it back.
type Reactivated struct {
	Realm ids.Realm
	By    Actor
	User  ID
}

// BecameFullMember runs in a commit, at most minutes late, when members have become full members because their accounts are old
// enough (groups: role:fullmembers; realm: settings that name a channel; bots: what theirs use; topics: the list of
// muted ones). An error rolls it back; it is run again later.
type BecameFullMember struct {
	Realm ids.Realm
	Users Set
}

// Recent is a moment: it asks who of a realm was there since a time. Presence answers. An error fails what asks.
type Recent struct {
	Realm ids.Realm
	Since time.Time
	Users Set
	Known bool // filled: somebody has answered
}

// KeysRevoked runs in the commit that ends all API keys of a user, but for the new one if there is one. An error rolls
// it back.
type KeysRevoked struct {
	Realm ids.Realm
	User  ID
}

// Introducing runs when people ask who they are (GET /users/me). messages says what the newest message is that they
// have received. An error fails the answer.
type Introducing struct {
	Realm      ids.Realm
	User       ID
	MaxMessage int64 // -1: none
}

// Picturing is a moment: somebody has uploaded a picture of another user, which only a bot of theirs can be. It runs
// outside of any transaction. avatars makes the picture of it and says how it is given. Errors: BadImage, Unavailable;
// those of File.
type Picturing struct {
	By   Actor
	File io.Reader
	// Give is filled: it gives the user the picture, inside Do, with its events; the caller has checked who may. nil: no
	// module keeps pictures of people.
	Give func(ctx context.Context, u ID) error
}

// EmailAsked runs in the commit of PATCH /settings when people ask for another address of their own, which has to be
// proven to be theirs (confirmations: the mail with a link). Whatever the realm's rules have against it has been
// checked; somebody whom the person may not know of may have the address. An error refuses the whole change.
type EmailAsked struct {
	Realm ids.Realm
	By    Actor
	User  *User
	Email string // in the form in which it would be kept
	Kept  bool   // set by whoever sees to it; without such a module people can't change their addresses
}

// LoginChanged runs in the commit, after the user's own entries, when that by which a person logs in is another: the
// address or the password (confirmations: what was mailed before is void). An error rolls it back.
type LoginChanged struct {
	Realm     ids.Realm
	By        Actor
	Old, User *User // of the same address where it is the password
	Password  bool  // the password is another one
}

// SessionBegun runs in the commit in which a browser is logged in (accounts: whom an administrator has made joins by
// their first login). An error rolls it back.
type SessionBegun struct {
	Realm ids.Realm
	By    Actor
	User  ID
}

// KeyIssued is a hook event. It runs in the transaction that creates an API key with which an app or a bot logs in. By
// is whoever asked for it: its Agent and From are those of the app. An error rolls the transaction back.
type KeyIssued struct {
	Realm ids.Realm
	By    Actor
	User  ID
}
