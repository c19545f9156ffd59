package user

import (
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/setting"
)

// sounds lists the clients' notification sounds; "none" is silence.
var sounds = []string{"bloop", "chime", "ding", "pop", "zulip"}

// Sounds returns the values of available_notification_sounds.
func Sounds() []string { return slices.Clone(sounds) }

// Rows returns the table of all settings.
func Rows() []setting.Row { return rows }

var rows = []setting.Row{
	{Name: "timezone", Default: "", Check: timezone},
	{Name: "default_language", Default: "en", Check: setting.Language},
	{Name: "twenty_four_hour_time", Default: false},
	{Name: "web_mark_read_on_scroll_policy", Default: 1, Check: setting.Between(1, 3)},
	{Name: "web_channel_default_view", Default: 1, Check: setting.Between(1, 4)},
	{Name: "starred_message_counts", Default: true},
	{Name: "receives_typing_notifications", Default: true},
	{Name: "web_suggest_update_timezone", Default: true},
	{Name: "fluid_layout_width", Default: false},
	{Name: "high_contrast_mode", Default: false},
	{Name: "web_font_size_px", Default: 16, Check: setting.Between(8, 64)},
	{Name: "web_line_height_percent", Default: 140, Check: setting.Between(80, 300)},
	{Name: "color_scheme", Default: 1, Check: setting.Between(1, 3)},
	{Name: "translate_emoticons", Default: false},
	{Name: "display_emoji_reaction_users", Default: true},
	{Name: "web_home_view", Default: "inbox", Check: setting.OneOf("inbox", "recent", "all_messages")},
	{Name: "web_escape_navigates_to_home_view", Default: true},
	{Name: "left_side_userlist", Default: false},
	{Name: "emojiset", Default: "google", Check: setting.OneOf("google", "google-blob", "twitter", "text")},
	{Name: "demote_inactive_streams", Default: 1, Check: setting.Between(1, 3)},
	{Name: "user_list_style", Default: 3, Check: setting.Between(1, 3)},
	{Name: "web_animate_image_previews", Default: "on_hover", Check: setting.OneOf("always", "on_hover", "never")},
	{Name: "web_stream_unreads_count_display_policy", Default: 2, Check: setting.Between(1, 3)},
	{Name: "web_left_sidebar_show_channel_folders", Default: true},
	{Name: "web_left_sidebar_unreads_count_summary", Default: true},
	{Name: "web_inbox_show_channel_folders", Default: true},
	{Name: "web_navigate_to_sent_message", Default: true},
	{Name: "hide_ai_features", Default: false},
	{Name: "enable_drafts_synchronization", Default: true},
	{Name: "enter_sends", Default: false},

	{Name: "email_address_visibility", Default: EveryoneSees, Check: setting.Between(EveryoneSees, ModeratorsSee)},
	{Name: "send_private_typing_notifications", Default: true},
	{Name: "send_stream_typing_notifications", Default: true},
	{Name: "send_read_receipts", Default: true},
	{Name: "allow_private_data_export", Default: false},
	{Name: "presence_enabled", Default: true},
	{
		Name:    "resolved_topic_notice_auto_read_policy",
		Default: "except_followed",
		Check:   setting.OneOf("always", "except_followed", "never"),
	},
	{Name: "automatically_follow_topics_policy", Default: 3, Check: setting.Between(1, 4)},
	{Name: "automatically_unmute_topics_in_muted_streams_policy", Default: 2, Check: setting.Between(1, 4)},
	{Name: "automatically_follow_topics_where_mentioned", Default: true},

	{Name: "enable_stream_desktop_notifications", Default: false},
	{Name: "enable_stream_email_notifications", Default: false},
	{Name: "enable_stream_push_notifications", Default: false},
	{Name: "enable_stream_audible_notifications", Default: false},
	{Name: "enable_desktop_notifications", Default: true},
	{Name: "enable_sounds", Default: true},
	{Name: "enable_offline_email_notifications", Default: true},
	{Name: "enable_offline_push_notifications", Default: true},
	{Name: "enable_online_push_notifications", Default: true},
	{Name: "enable_followed_topic_desktop_notifications", Default: true},
	{Name: "enable_followed_topic_email_notifications", Default: true},
	{Name: "enable_followed_topic_push_notifications", Default: true},
	{Name: "enable_followed_topic_audible_notifications", Default: true},
	{Name: "enable_followed_topic_wildcard_mentions_notify", Default: true},
	{Name: "wildcard_mentions_notify", Default: true},
	{Name: "pm_content_in_desktop_notifications", Default: true},
	{Name: "message_content_in_email_notifications", Default: true},
	{Name: "enable_digest_emails", Default: true},
	{Name: "enable_login_emails", Default: true},
	{Name: "enable_marketing_emails", Default: true},
	{Name: "notification_sound", Default: "zulip", Check: sound},
	{Name: "desktop_icon_count_display", Default: 1, Check: setting.Between(1, 4)},
	{Name: "realm_name_in_email_notifications_policy", Default: 1, Check: setting.Between(1, 3)},
	{Name: "email_notifications_batching_period_seconds", Default: 120, Check: setting.Between(1, 7*24*3600)},
}

// Defaults returns the server's default settings, for realms without their own.
func Defaults() Settings { return defaults }

var defaults = func() (s Settings) {
	setting.Fill(&s, rows)
	return s
}()

// With returns the settings with new values, given by wire name, and the changes. Errors: BadRequest.
func (s Settings) With(values map[string]any) (Settings, []setting.Change, error) {
	return setting.Apply(s, values, rows)
}

// Emojiset is a style of emoji.
type Emojiset struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Choices returns the settings by name, and the choices of settings for which clients have no built-in list.
func (s Settings) Choices() map[string]any {
	keys := setting.Values(s)
	keys["available_notification_sounds"] = Sounds()
	keys["emojiset_choices"] = []Emojiset{{"google", "Google"}, {"twitter", "Twitter"}, {"text", "Plain text"}}
	return keys
}

func sound(_ string, v any) error {
	if s, ok := v.(string); !ok || s != "none" && !slices.Contains(sounds, s) {
		return errs.Bad("Invalid notification sound '%.60v'", v)
	}
	return nil
}
