// Package channels manages channels and subscriptions: creating, changing and archiving channels, subscribing and
// unsubscribing users, and each user's settings for a subscription.
//
// The rules for who may see, join, read and manage a channel are pure functions in domain/permission and
// domain/channel; internal/access applies them to callers. A channel that the caller may not see is answered like one
// that does not exist. Visibility follows from shared facts: visibility.go notifies users whose channels become visible
// or hidden when users and groups change, and waiting.go those who become full members through time.
//
// internal/folders keeps channel folders, internal/defaults the default channels and their groups, internal/traffic the
// number of messages per channel. memberships creates channels and subscribes users; service does the rest.
//
// Active subscriptions are shared facts. Periods of past subscriptions, which decide who reads protected history,
// belong to the module messages. Traffic is counted by day and published every six hours.
//
// Ports: it provides Channels, Subscriptions, Spectators, SubscriptionSettings and ChannelAddresses. It runs the hook
// events channel.Subscribed, Unsubscribed, Created, Added, Changing and Changed, and user.BecameFullMember. It answers
// channel.MutedAmong and KeptAmong, and permission.WaitingPeriod.
// Tables: channels, subscriptions, subscribed_channels, channel_folders, channel_bundles and channel_bundle_members
// (groups of default channels), channel_addresses (for email), channel_days and channel_tally (traffic),
// channel_waiting_periods (the waiting period).
// Events: stream create, update, delete; subscription add, remove, update, peer_add, peer_remove; default_streams;
// default_stream_groups; channel_folder add, update, reorder.
package channels
