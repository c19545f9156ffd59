// Package channels manages channels and subscriptions: creating, changing and archiving channels, subscribing and
// unsubscribing users, and each user's settings for a subscription.
//
// The rules for who can see, join, read and manage a channel are pure functions in domain/permission and
// domain/channel; internal/access applies them to callers. If the caller cannot see a channel, the response is the same
// as if it did not exist. Changes of users and groups, and the age of accounts, can make channels visible to a user or
// hide them; visibility.go sends the events.
//
// internal/subscribing creates channels, subscribes users and stores their subscriptions; internal/folders stores
// channel folders, internal/defaults the default channels and groups of them; internal/traffic counts messages per
// channel. This package serves, changes and archives channels, and stores them. The events about channels and
// subscriptions, which it shares with internal/subscribing, are in internal/eventtype.
//
// Active subscriptions are part of the directory view. Periods of past subscriptions, which decide who can read
// protected history, belong to the module messages. Traffic is counted by day and updated every six hours.
//
// Ports: provides Channels and Spectators. Hook events: runs channel.Subscribed, Unsubscribed, Created, Added, Changing
// and Changed. Queries: answers channel.MutedAmong, KeptAmong and ByAddress, readstate.MutedPlaces,
// message.OldestRetained, and notification.SubscriptionsTo; uses permission.WaitingPeriod, user.RecentlyActive and
// message.ChannelCounts. Tables: channels, subscriptions, subscribed_channels, channel_folders, channel_bundles and
// channel_bundle_members (groups of default channels), channel_addresses (for email), channel_days and channel_tally
// (traffic). Events: stream create, update, delete; subscription add, remove, update, peer_add, peer_remove;
// default_streams; default_stream_groups; channel_folder add, update, reorder.
package channels
