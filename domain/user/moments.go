package user

import "github.com/stoachat/stoa/domain/ids"

// Joined runs in the commit that makes a user (channels: default subscriptions). An error rolls it back.
type Joined struct {
	Realm ids.Realm
	By    Actor
	User  *User
}

// Deactivated runs in the commit, before the user's own entry (channels end subscriptions, events end queues).
type Deactivated struct {
	Realm ids.Realm
	By    Actor
	User  ID
}

// Reactivated runs in the commit, after the user's own entry (channels takes the kept subscriptions up again).
type Reactivated struct {
	Realm ids.Realm
	By    Actor
	User  ID
}

// KeysRevoked runs in the commit that ends all API keys of a user but the new one.
type KeysRevoked struct {
	Realm ids.Realm
	User  ID
}
