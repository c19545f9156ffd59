package oracle_test

import "fmt"

// realmSettings changes the realm's settings, or defaults for new users.
func realmSettings(w *simulation) {
	switch w.rnd.IntN(8) {
	case 0:
		w.do("olga", "PATCH /realm", "can_access_all_users_group", one(w, []string{`{"new":6}`, `{"new":6}`, `{"new":7}`}))
	case 1, 2:
		w.do(w.manager(), "PATCH /realm", one(w, realmPermissions), w.update())
	case 3:
		w.do("olga", "PATCH /realm", one(w, realmPlaces),
			fmt.Sprint(one(w, append([]int64{-1, int64(w.s.ChannelID("secret"))}, w.channels...))))
	case 4:
		s := one(w, personalSettings)
		w.do(w.manager(), "PATCH /realm/user_settings_defaults", s.name, one(w, s.values))
	default:
		s := one(w, plainSettings)
		w.do(one(w, []string{"olga", "olga", "adam"}), "PATCH /realm", s.name, one(w, s.values))
	}
}

// restrictions changes a setting that decides what everybody may do.
func restrictions(w *simulation) {
	w.do("olga", "PATCH /realm", one(w, []string{"enable_spectator_access", "name_changes_disabled",
		"email_changes_disabled", "avatar_changes_disabled"}), w.flag())
}

// values is a setting and some of its valid values, as clients send them.
type values struct {
	name   string
	values []string
}

var yesOrNo = []string{"true", "false"}

// plainSettings lists the realm's settings. Values with which other steps fail occur less often.
var plainSettings = []values{
	{"name", []string{"Realm one", "Realm two", "Realm three"}},
	{"description", []string{"Realm *of* one", "Realm **of** two", ""}},
	{"default_language", []string{"en", "de", "fr"}},
	{"default_code_block_language", []string{"", "go", "python"}},
	{"gif_rating_policy", []string{"0", "1", "2", "3", "4"}},
	{"org_type", []string{"0", "10", "30"}},
	{"authentication_methods", []string{`{"Email":true}`}},
	{"emails_restricted_to_domains", yesOrNo},
	{"disallow_disposable_email_addresses", yesOrNo},
	{"invite_required", yesOrNo},
	{"waiting_period_threshold", []string{"0", "1", "3", "5000"}},
	{"presence_disabled", yesOrNo},
	{"topics_policy", []string{"allow_empty_topic", "allow_empty_topic", "disable_empty_topic"}},
	{"message_edit_history_visibility_policy", []string{"all", "moves", "none"}},
	{"message_retention_days", []string{`"unlimited"`, "30", "60"}},
	{"message_content_edit_limit_seconds", []string{`"unlimited"`, "600", "3600"}},
	{"message_content_delete_limit_seconds", []string{`"unlimited"`, "600"}},
	{"move_messages_within_stream_limit_seconds", []string{`"unlimited"`, "604800"}},
	{"move_messages_between_streams_limit_seconds", []string{`"unlimited"`, "604800"}},
	{"allow_message_editing", []string{"true", "true", "false"}},
	{"inline_image_preview", yesOrNo},
	{"inline_url_embed_preview", yesOrNo},
	{"media_preview_size", []string{"150", "200"}},
	{"enable_read_receipts", yesOrNo},
	{"digest_emails_enabled", yesOrNo},
	{"digest_weekday", []string{"0", "3"}},
	{"send_welcome_emails", yesOrNo},
	{"send_channel_events_messages", []string{"true", "false", "false"}},
	{"message_content_allowed_in_email_notifications", yesOrNo},
	{"name_changes_disabled", []string{"true", "false", "false"}},
	{"avatar_changes_disabled", yesOrNo},
	{"enable_spectator_access", yesOrNo},
	{"enable_guest_user_indicator", yesOrNo},
	{"enable_guest_user_dm_warning", yesOrNo},
	{"welcome_message_custom_text", []string{"", "Welcome."}},
	{"default_avatar_source", []string{"G", "J"}},
}

var realmPlaces = []string{
	"new_stream_announcements_stream_id", "signup_announcements_stream_id", "service_update_announcements_stream_id",
	"zulip_update_announcements_stream_id",
	"moderation_request_channel_id",
}

var realmPermissions = []string{
	"can_create_groups", "can_add_subscribers_group", "can_move_messages_between_topics_group",
	"can_delete_any_message_group", "can_create_public_channel_group",
	"can_create_private_channel_group", "can_create_web_public_channel_group", "can_mention_many_users_group",
	"can_add_custom_emoji_group",
	"can_create_bots_group", "can_create_write_only_bots_group", "can_delete_own_message_group", "can_invite_users_group",
	"can_manage_all_groups",
	"can_move_messages_between_channels_group", "can_resolve_topics_group", "can_set_topics_policy_group",
	"create_multiuse_invite_group",
	"direct_message_initiator_group", "direct_message_permission_group",
}
