package channel

import (
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Subscribed runs in the commit, under the realm's lock, when people become subscribers. Messages opens their periods.
// An error rolls the change back.
type Subscribed struct {
	Realm   realm.ID
	Channel ID
	Users   user.Set
	Seq     int64 // the log position before the entry
}

// Unsubscribed runs in the commit, under the realm's lock, when people cease to be subscribers. Messages closes their
// periods and forgets what was unread there. An error rolls the change back.
type Unsubscribed struct {
	Realm   realm.ID
	Channel ID
	Users   user.Set
	Seq     int64 // the log position before the entry
}

// Created runs in the commit that makes a channel, after its subscribers are in. An error rolls the change back.
type Created struct {
	Realm    realm.ID
	By       user.Actor
	Channel  *Channel
	Announce bool
}
