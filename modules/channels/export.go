package channels

import (
	"slices"

	"github.com/stoachat/stoa/modules/kit"
)

// exported declares which of the module's tables an export contains.
func exported() []kit.Export {
	kept := []kit.Export{{
		Table: "channels", Doc: "A channel.",
		Columns: []string{
			"id", "name", "description", "rendered", "created_at:time", "creator_id", "private:bool",
			"web_public:bool", "history_public:bool", "retention_days", "first_message", "folder_id",
			"topics_policy", "archived:bool", "is_default:bool", "permissions:json",
		},
		Without: []string{"name_key", "weekly", "quiet"},
		Channel: "id",
	}, {
		Table: "subscriptions", Doc: "A user's subscription to a channel; active is false if it has ended.",
		Columns: []string{
			"user_id", "channel_id", "active:bool", "color", "is_muted:bool", "pin_to_top:bool",
			"desktop_notifications:bool", "audible_notifications:bool", "push_notifications:bool",
			"email_notifications:bool", "wildcard_mentions_notify:bool",
		},
		Key:    []string{"user_id", "channel_id"},
		Person: "user_id", Public: "active", Channel: "channel_id",
		Private: []string{
			"color", "is_muted", "pin_to_top", "desktop_notifications", "audible_notifications",
			"push_notifications", "email_notifications", "wildcard_mentions_notify",
		},
	}, {
		Table: "channel_folders", Doc: "A folder of channels.",
		Columns: []string{
			"id", "name", "description", "rendered", "position", "creator_id", "created_at:time",
			"archived:bool",
		},
	}, {
		Table: "channel_bundles", Doc: "A default channel group.",
		Columns: []string{"id", "name", "description"},
	}, {
		Table: "channel_bundle_members", Doc: "A channel of a default channel group.",
		Columns: []string{"bundle_id", "channel_id"},
		Key:     []string{"bundle_id", "channel_id"},
		Channel: "channel_id",
	}}
	return slices.Concat(
		kept,
		kit.NotExported("follows from other tables", "subscribed_channels", "channel_days", "channel_tally"),
		kit.NotExported("addresses of channels are secrets of this server", "channel_addresses"),
	)
}
