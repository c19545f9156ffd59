package notification

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// SubscriptionsTo is a query for the notification settings of active subscribers of channels. channels returns a
// SubscriptionsByChannel.
type SubscriptionsTo struct {
	Realm    realm.ID
	Channels []channel.ID
}

// SubscriptionsByChannel is the result of SubscriptionsTo. Users who left all relevant settings at their defaults are
// left out.
type SubscriptionsByChannel map[channel.ID]map[user.ID]Subscription
