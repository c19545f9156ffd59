package events

import (
	"slices"

	"github.com/stoachat/stoa/domain/group"
)

// required is a key of the /register answer without which some client rejects the whole answer, and its value if the
// module that provides it is not running.
type required struct {
	types []string // the fetch types that together request it
	key   string
	value any
}

func need(typ, key string, value any) required { return required{[]string{typ}, key, value} }

type (
	list   = []any
	object = map[string]any
)

// requiredKeys returns all required keys. Each call creates new values, since callers put them into answers.
func requiredKeys() []required {
	return slices.Concat(requiredLists(), requiredOfRealm(), requiredOfUsers())
}

func requiredLists() []required {
	return []required{
		need("alert_words", "alert_words", list{}),
		need("custom_profile_fields", "custom_profile_fields", list{}),
		need("onboarding_steps", "onboarding_steps", list{}),
		need("message", "max_message_id", -1),
		need("saved_snippets", "saved_snippets", list{}),
		need("navigation_views", "navigation_views", list{}),
		need("drafts", "drafts", list{}),
		need("scheduled_messages", "scheduled_messages", list{}),
		need("reminders", "reminders", list{}),
		need("muted_topics", "muted_topics", list{}),
		need("muted_users", "muted_users", list{}),
		need("presence", "presences", object{}),
		need("presence", "presence_last_update_id", -1),
		need("realm_billing", "realm_billing", object{"has_pending_sponsorship_request": false}),
		need("realm_domains", "realm_domains", list{}),
		need("realm_emoji", "realm_emoji", object{}),
		need("realm_linkifiers", "realm_linkifiers", list{}),
		need("realm_filters", "realm_filters", list{}),
		need("realm_playgrounds", "realm_playgrounds", list{}),
		need("realm_user_groups", "realm_user_groups", list{}),
		need("realm_bot", "realm_bots", list{}),
		need("realm_embedded_bots", "realm_embedded_bots", list{}),
		need("realm_incoming_webhook_bots", "realm_incoming_webhook_bots", list{}),
		need("recent_private_conversations", "recent_private_conversations", list{}),
		need("subscription", "subscriptions", list{}),
		need("subscription", "unsubscribed", list{}),
		need("subscription", "never_subscribed", list{}),
		need("channel_folders", "channel_folders", list{}),
		{[]string{"message", "update_message_flags"}, "unread_msgs", object{
			"count": 0, "pms": list{}, "streams": list{}, "huddles": list{}, "mentions": list{}, "old_unreads_missing": false,
		}},
		need("starred_messages", "starred_messages", list{}),
		need("stream", "streams", list{}),
		need("default_streams", "realm_default_streams", list{}),
		need("default_stream_groups", "realm_default_stream_groups", list{}),
		need("stop_words", "stop_words", list{}),
		need("user_status", "user_status", object{}),
		need("user_topic", "user_topics", list{}),
		need("video_calls", "has_zoom_token", false),
		need("giphy", "giphy_api_key", ""),
		need("tenor", "tenor_api_key", ""),
		need("device", "devices", object{}),
		need("push_device", "push_devices", object{}),
	}
}

func requiredOfRealm() []required {
	return []required{
		need("realm", "realm_name", ""),
		need("realm", "realm_icon_url", ""),
		need("realm", "realm_default_external_accounts", object{}),
		need("realm", "realm_waiting_period_threshold", 0),
		need("realm", "realm_allow_message_editing", true),
		need("realm", "realm_message_retention_days", -1),
		need("realm", "realm_enable_read_receipts", false),
		need("realm", "realm_presence_disabled", false),
		need("realm", "realm_wildcard_mention_policy", 5),
		need("realm", "realm_can_delete_any_message_group", group.Administrators),
		need("realm", "realm_can_delete_own_message_group", group.Everyone),
		need("realm", "event_queue_longpoll_timeout_seconds", 90),
		need("realm", "server_presence_ping_interval_seconds", 60),
		need("realm", "server_presence_offline_threshold_seconds", 200),
		need("realm", "server_emoji_data_url", ""),
		need("realm", "server_thumbnail_formats", list{}),
		need("realm", "max_topic_length", 60),
		need("realm", "max_stream_name_length", 60),
		need("realm", "max_file_upload_size_mib", 100),
	}
}

func requiredOfUsers() []required {
	return []required{
		need("realm_user", "realm_users", list{}),
		need("realm_user", "realm_non_active_users", list{}),
		need("realm_user", "cross_realm_bots", list{}),
		need("realm_user", "user_id", 0),
		need("realm_user", "email", ""),
		need("realm_user", "full_name", ""),
		need("user_settings", "user_settings", object{
			"twenty_four_hour_time": false, "starred_message_counts": true, "display_emoji_reaction_users": true,
			"emojiset":         "google",
			"presence_enabled": true, "pm_content_in_desktop_notifications": true, "send_private_typing_notifications": true,
		}),
	}
}

// require adds the required keys that were requested but that no module has provided.
func (s *service) require(answer map[string]any, fetch []string) {
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
	// Clients that request user_topic do not need the older key, which repeats the same data.
	if fetch != nil && slices.Contains(fetch, "user_topic") {
		delete(answer, "muted_topics")
	}
}
