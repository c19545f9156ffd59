package events

import (
	"slices"

	"github.com/stoachat/stoa/domain/group"
)

// required is a key of the /register response without which some client rejects the whole response, and its value if
// the module that provides it is not running.
type required struct {
	types []string // the fetch types that together request it
	key   string
	value any
}

func requiredKey(typ, key string, value any) required { return required{[]string{typ}, key, value} }

type (
	list   = []any
	object = map[string]any
)

// requiredKeys returns all required keys. Each call creates new values, since callers add them to responses.
func requiredKeys() []required {
	return slices.Concat(requiredLists(), requiredOfRealm(), requiredOfUsers())
}

func requiredLists() []required {
	return []required{
		requiredKey("alert_words", "alert_words", list{}),
		requiredKey("custom_profile_fields", "custom_profile_fields", list{}),
		requiredKey("onboarding_steps", "onboarding_steps", list{}),
		requiredKey("message", "max_message_id", -1),
		requiredKey("saved_snippets", "saved_snippets", list{}),
		requiredKey("navigation_views", "navigation_views", list{}),
		requiredKey("drafts", "drafts", list{}),
		requiredKey("scheduled_messages", "scheduled_messages", list{}),
		requiredKey("reminders", "reminders", list{}),
		requiredKey("muted_topics", "muted_topics", list{}),
		requiredKey("muted_users", "muted_users", list{}),
		requiredKey("presence", "presences", object{}),
		requiredKey("presence", "presence_last_update_id", -1),
		requiredKey("realm_billing", "realm_billing", object{"has_pending_sponsorship_request": false}),
		requiredKey("realm_domains", "realm_domains", list{}),
		requiredKey("realm_emoji", "realm_emoji", object{}),
		requiredKey("realm_linkifiers", "realm_linkifiers", list{}),
		requiredKey("realm_filters", "realm_filters", list{}),
		requiredKey("realm_playgrounds", "realm_playgrounds", list{}),
		requiredKey("realm_user_groups", "realm_user_groups", list{}),
		requiredKey("realm_bot", "realm_bots", list{}),
		requiredKey("realm_embedded_bots", "realm_embedded_bots", list{}),
		requiredKey("realm_incoming_webhook_bots", "realm_incoming_webhook_bots", list{}),
		requiredKey("recent_private_conversations", "recent_private_conversations", list{}),
		requiredKey("subscription", "subscriptions", list{}),
		requiredKey("subscription", "unsubscribed", list{}),
		requiredKey("subscription", "never_subscribed", list{}),
		requiredKey("channel_folders", "channel_folders", list{}),
		{[]string{"message", "update_message_flags"}, "unread_msgs", object{
			"count": 0, "pms": list{}, "streams": list{}, "huddles": list{}, "mentions": list{}, "old_unreads_missing": false,
		}},
		requiredKey("starred_messages", "starred_messages", list{}),
		requiredKey("stream", "streams", list{}),
		requiredKey("default_streams", "realm_default_streams", list{}),
		requiredKey("default_stream_groups", "realm_default_stream_groups", list{}),
		requiredKey("stop_words", "stop_words", list{}),
		requiredKey("user_status", "user_status", object{}),
		requiredKey("user_topic", "user_topics", list{}),
		requiredKey("video_calls", "has_zoom_token", false),
		requiredKey("giphy", "giphy_api_key", ""),
		requiredKey("tenor", "tenor_api_key", ""),
		requiredKey("device", "devices", object{}),
		requiredKey("push_device", "push_devices", object{}),
	}
}

func requiredOfRealm() []required {
	return []required{
		requiredKey("realm", "realm_name", ""),
		requiredKey("realm", "realm_icon_url", ""),
		requiredKey("realm", "realm_default_external_accounts", object{}),
		requiredKey("realm", "realm_waiting_period_threshold", 0),
		requiredKey("realm", "realm_allow_message_editing", true),
		requiredKey("realm", "realm_message_retention_days", -1),
		requiredKey("realm", "realm_enable_read_receipts", false),
		requiredKey("realm", "realm_presence_disabled", false),
		requiredKey("realm", "realm_wildcard_mention_policy", 5),
		requiredKey("realm", "realm_can_delete_any_message_group", group.Administrators),
		requiredKey("realm", "realm_can_delete_own_message_group", group.Everyone),
		requiredKey("realm", "event_queue_longpoll_timeout_seconds", 90),
		requiredKey("realm", "server_presence_ping_interval_seconds", 60),
		requiredKey("realm", "server_presence_offline_threshold_seconds", 200),
		requiredKey("realm", "server_emoji_data_url", ""),
		requiredKey("realm", "server_thumbnail_formats", list{}),
		requiredKey("realm", "max_topic_length", 60),
		requiredKey("realm", "max_stream_name_length", 60),
		requiredKey("realm", "max_file_upload_size_mib", 100),
	}
}

func requiredOfUsers() []required {
	return []required{
		requiredKey("realm_user", "realm_users", list{}),
		requiredKey("realm_user", "realm_non_active_users", list{}),
		requiredKey("realm_user", "cross_realm_bots", list{}),
		requiredKey("realm_user", "user_id", 0),
		requiredKey("realm_user", "email", ""),
		requiredKey("realm_user", "full_name", ""),
		requiredKey("user_settings", "user_settings", object{
			"twenty_four_hour_time": false, "starred_message_counts": true, "display_emoji_reaction_users": true,
			"emojiset":         "google",
			"presence_enabled": true, "pm_content_in_desktop_notifications": true, "send_private_typing_notifications": true,
		}),
	}
}

// addRequiredKeys adds requested required keys that no module has provided.
func (s *service) addRequiredKeys(answer map[string]any, fetch []string) {
	for _, k := range requiredKeys() {
		if _, given := answer[k.key]; !given && fetched(fetch, k.types) {
			answer[k.key] = k.value
		}
	}
	if fetched(fetch, []string{"presence"}) {
		if _, given := answer["server_timestamp"]; !given {
			answer["server_timestamp"] = float64(s.Clock.Now().UnixMilli()) / 1000
		}
	}
	// Clients that request user_topic do not need the older key with the same data.
	if fetch != nil && slices.Contains(fetch, "user_topic") {
		delete(answer, "muted_topics")
	}
}
