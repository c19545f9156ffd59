package channel

import (
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Subscribed is a hook event that runs in the commit, under the realm's lock, when users are subscribed to a channel.
// messages starts their subscription periods. An error rolls the change back.
type Subscribed struct {
	Realm   realm.ID
	Channel ID
	Users   user.Set
	Seq     int64 // the log position before the entry
}

// Unsubscribed is a hook event that runs in the commit, under the realm's lock, when users are unsubscribed from a
// channel. messages ends their subscription periods and marks their unread messages in the channel as read. An error
// rolls the change back.
type Unsubscribed struct {
	Realm   realm.ID
	Channel ID
	Users   user.Set
	Seq     int64 // the log position before the entry
}

// Returned is a hook event that runs when channels has returned after it was left out: with accounts that were
// deactivated or reactivated meanwhile, subscriptions have ended or begun without Unsubscribed and Subscribed. It does
// not run in a transaction.
type Returned struct{ Realm realm.ID }

// Created is a hook event that runs once in a commit that creates channels, after all log entries for the channels and
// their subscribers. messages posts the notices. An error rolls the change back.
type Created struct {
	Realm    realm.ID
	By       user.Actor
	Channels []*Channel // in the requested order; at least one
	Announce bool
}

// Added is a hook event that runs in the commit, after its entries, when a user has subscribed others to existing
// channels. It lists only users who are to be notified. An error rolls the change back.
type Added struct {
	Realm realm.ID
	By    user.Actor
	To    map[user.ID][]ID // channels by ID, per newly subscribed user
}

// Changing is a hook event that runs in the commit before a channel is changed and anything is written. An error
// refuses the change: messages, for example, refuses empty_topic_only while the channel has other topics.
type Changing struct {
	Realm    realm.ID
	By       user.Actor
	Old, New *Channel
}

// Changed is a hook event that runs in the commit that changes a channel's record (name, privacy, settings, archiving),
// after its entries. An error rolls the change back.
type Changed struct {
	Realm    realm.ID
	By       user.Actor
	Old, New *Channel
}

// FirstMoved is a hook event that runs in a unit of work in which the oldest message of a channel changes because
// messages were deleted or moved. channels stores First and appends the entry. First is 0 if no message is left.
type FirstMoved struct {
	Realm   realm.ID
	Channel ID
	First   int64
}

// FirstMessagePosted is a hook event that runs in the commit of a channel's first message. messages runs it and adds
// the change of the channel's record to its own entry; channels stores it.
type FirstMessagePosted struct {
	Realm   realm.ID
	Channel ID
	First   int64
}

// BecameActive is a hook event that runs in the commit in which a channel that was not recently active gets a message.
// messages runs it; channels stores it and appends the entry. An error fails the messages.
type BecameActive struct {
	Realm   realm.ID
	Channel ID
}

// MutedAmong is a query that reports which of the given subscriptions are muted, as a map[SubscriptionRef]bool. It may
// run inside a unit of work.
type MutedAmong struct {
	Realm         realm.ID
	Subscriptions []SubscriptionRef
}

// KeptAmong is a query that returns, of the given subscriptions of deactivated users, those that will be restored when
// the users are reactivated, as a []SubscriptionRef. It may run inside a unit of work.
type KeptAmong struct {
	Realm         realm.ID
	Subscriptions []SubscriptionRef
}

// SubscriptionRef identifies a user's subscription to a channel.
type SubscriptionRef struct {
	User    user.ID
	Channel ID
}

// Imported is a hook event that runs in the commit, under the realm's lock, in which an import has stored subscriptions
// of the realm. channels updates what follows from them. The view does not contain them yet.
type Imported struct {
	Realm       realm.ID
	Subscribers map[ID]user.Set
}
