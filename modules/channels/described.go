package channels

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/modules/kit"
)

// The types in this file describe responses that encode themselves.

type listedChannels struct {
	Streams []channel.Record `json:"streams"`
}

// subscription is a channel with the caller's settings, if the caller is or was subscribed.
type subscription struct {
	channel.Record
	settings
}

// settings are those of channel.PersonalRecord, all of which are missing for channels without subscription.
type settings struct {
	Color      *string `json:"color,omitempty"`
	Muted      *bool   `json:"is_muted,omitempty"`
	InHomeView *bool   `json:"in_home_view,omitempty"`
	Pinned     *bool   `json:"pin_to_top,omitempty"`
	Desktop    **bool  `json:"desktop_notifications,omitempty"`
	Audible    **bool  `json:"audible_notifications,omitempty"`
	Push       **bool  `json:"push_notifications,omitempty"`
	Email      **bool  `json:"email_notifications,omitempty"`
	Wildcard   **bool  `json:"wildcard_mentions_notify,omitempty"`
}

type ownSubscriptions struct {
	Subscriptions []channel.SubscriptionRecord `json:"subscriptions"`
}

func schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[channel.Record]("Channel", "A channel."),
		kit.SchemaOf[channel.SubscriptionRecord]("Subscription", "A channel, and the caller's settings for it."),
		kit.SchemaOf[list]("Channels", "Channels, with the caller's settings for those that the caller has subscribed to.",
			[]subscription{}),
	}
}
