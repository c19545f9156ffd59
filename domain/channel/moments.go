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

// Created runs once in a commit that makes channels, after their subscribers are in and after the entries that tell of
// them. Messages posts the notices. An error rolls the change back.
type Created struct {
	Realm    realm.ID
	By       user.Actor
	Channels []*Channel // in the order in which they were asked for; at least one
	Announce bool
}

// Added runs in the commit, after the entries that tell of it, when somebody has subscribed others to channels that
// existed before. Only people who are to be told are listed. An error rolls the change back.
type Added struct {
	Realm realm.ID
	By    user.Actor
	To    map[user.ID][]ID // the channels, lowest id first, by newly subscribed person
}

// Changing runs in the commit before a channel is changed; nothing has been written yet. A hook refuses by an error
// (messages: empty_topic_only while there are other topics).
type Changing struct {
	Realm    realm.ID
	By       user.Actor
	Old, New *Channel
}

// Changed runs in the commit that changes a channel's record (name, privacy, settings, archiving), after the entries
// that tell of it. An error rolls the change back.
type Changed struct {
	Realm    realm.ID
	By       user.Actor
	Old, New *Channel
}

// FirstMoved runs in a unit of work in which the oldest message of a channel becomes another one because messages were
// deleted or moved. Channels stores it and appends the entry that tells of it. First is 0 when none is left.
type FirstMoved struct {
	Realm   realm.ID
	Channel ID
	First   int64
}

// FirstMessagePosted runs in the commit in which a channel gets its first message. Messages runs it, and puts the
// change of the channel's record on its own entry; channels stores it.
type FirstMessagePosted struct {
	Realm   realm.ID
	Channel ID
	First   int64
}

// BecameActive runs in the commit in which a channel that was not recently active gets a message. Messages runs it;
// channels stores it and appends the entry that tells of it. An error fails the messages.
type BecameActive struct {
	Realm   realm.ID
	Channel ID
}

// MutedAmong asks which of some subscriptions are muted. The answer is a map[SubscriptionRef]bool. It may be asked
// within a unit of work.
type MutedAmong struct {
	Realm         realm.ID
	Subscriptions []SubscriptionRef
}

// KeptAmong asks which of some subscriptions of deactivated users are restored when the users are reactivated. The
// answer is a []SubscriptionRef. It may be asked within a unit of work.
type KeptAmong struct {
	Realm         realm.ID
	Subscriptions []SubscriptionRef
}

// SubscriptionRef is a person's subscription to a channel.
type SubscriptionRef struct {
	User    user.ID
	Channel ID
}
