// Package channels manages channels and subscriptions: creating, changing and archiving channels, subscribing and
// unsubscribing people, each person's settings for a subscription, channel folders, and default channels.
//
// Who may see, join, read and manage a channel are pure rules in domain/permission and domain/channel; access.go
// applies them to a view. Whoever may not know of a channel gets the same answer as if it did not exist. Visibility
// changes follow from changes of shared facts: sight.go computes who gains and who loses sight of which channels, and
// tells them.
//
// Active subscriptions are shared facts. Periods of past subscriptions, which decide who reads protected history,
// belong to the module messages. Traffic is counted per day and told once a day.
//
// Ports: it provides Channels, Subscriptions, Spectators, SubscriptionSettings and ChannelAddresses. It runs the hooks
// channel.Subscribed, Unsubscribed, Created, Added, Changing and Changed.
// Tables: channels, subscriptions, subscribed_channels, channel_folders, channel_bundles and channel_bundle_members
// (groups of default channels), channel_addresses (for email), channel_days and channel_tally (traffic),
// channel_ripening (who becomes a full member, and what follows).
// Events: stream create, update, delete; subscription add, remove, update, peer_add, peer_remove; default_streams;
// default_stream_groups; channel_folder add, update, reorder.
package channels
