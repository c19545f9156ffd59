package realm

import (
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// The types in this file describe what the section realm consists of.

// otherKeys are the keys of the section that are not settings.
type otherKeys struct {
	URL             string                         `json:"realm_url"`
	URI             string                         `json:"realm_uri"`
	UUID            string                         `json:"realm_uuid"`
	BotDomain       string                         `json:"realm_bot_domain"`
	Created         int64                          `json:"realm_date_created"`
	Plan            int                            `json:"realm_plan_type"`
	IconURL         string                         `json:"realm_icon_url"`
	IconSource      string                         `json:"realm_icon_source"`
	LogoURL         string                         `json:"realm_logo_url"`
	LogoSource      string                         `json:"realm_logo_source"`
	NightLogoURL    string                         `json:"realm_night_logo_url"`
	NightLogoSource string                         `json:"realm_night_logo_source"`
	EmptyTopic      string                         `json:"realm_empty_topic_display_name"`
	HTML            string                         `json:"realm_rendered_description"`
	EmailAuth       bool                           `json:"realm_email_auth_enabled"`
	PasswordAuth    bool                           `json:"realm_password_auth_enabled"`
	Push            bool                           `json:"realm_push_notifications_enabled"`
	PushEnd         *int64                         `json:"realm_push_notifications_enabled_end_timestamp"`
	Providers       map[string]choice              `json:"realm_available_video_chat_providers"`
	Presets         map[string]profilefield.Preset `json:"realm_default_external_accounts"`
	OwnerReads      bool                           `json:"realm_owner_full_content_access"`
	Quota           *int64                         `json:"realm_upload_quota_mib"`
	MandatoryTopics bool                           `json:"realm_mandatory_topics"`
	EditHistory     bool                           `json:"realm_allow_edit_history"`
	GiphyRating     int                            `json:"realm_giphy_rating"`
	MentionPolicy   int                            `json:"realm_wildcard_mention_policy"`
	CreatePublic    int                            `json:"realm_create_public_stream_policy"`
	CreatePrivate   int                            `json:"realm_create_private_stream_policy"`
	CreateWebPublic int                            `json:"realm_create_web_public_stream_policy"`
	Longpoll        int                            `json:"event_queue_longpoll_timeout_seconds"`
	Ping            int                            `json:"server_presence_ping_interval_seconds"`
	Offline         int                            `json:"server_presence_offline_threshold_seconds"`
	TypingStarted   int                            `json:"server_typing_started_wait_period_milliseconds"`
	TypingStopped   int                            `json:"server_typing_stopped_wait_period_milliseconds"`
	TypingExpiry    int                            `json:"server_typing_started_expiry_period_milliseconds"`
	EmojiURL        string                         `json:"server_emoji_data_url"`
	Generation      int64                          `json:"server_generation"`
	InlineImages    bool                           `json:"server_inline_image_preview"`
	InlineURLs      bool                           `json:"server_inline_url_embed_preview"`
	NoAvatarChanges bool                           `json:"server_avatar_changes_disabled"`
	NoNameChanges   bool                           `json:"server_name_changes_disabled"`
	NeedsUpgrade    bool                           `json:"server_needs_upgrade"`
	WebPublic       bool                           `json:"server_web_public_streams_enabled"`
	ServerJitsi     *string                        `json:"server_jitsi_server_url"`
	Jitsi           *string                        `json:"jitsi_server_url"`
	Summarizes      bool                           `json:"server_can_summarize_topics"`
	Thumbnails      []thumbnail                    `json:"server_thumbnail_formats"`
	ReportTypes     []message.ReportType           `json:"server_report_message_types"`
	Permissions     permissionKinds                `json:"server_supported_permission_settings"`
	MinDeletionDays *int                           `json:"server_min_deactivated_realm_deletion_days"`
	MaxDeletionDays *int                           `json:"server_max_deactivated_realm_deletion_days"`
	Digests         bool                           `json:"settings_send_digest_emails"`
	Development     bool                           `json:"development_environment"`
	NotLimited      bool                           `json:"service_plan_is_not_limited"`
	LogoUpgrade     string                         `json:"upgrade_text_for_wide_organization_logo"`
	GIFs            map[string]choice              `json:"gif_rating_policy_options"`
	Giphy           map[string]choice              `json:"giphy_rating_options"`
	MaxMessage      int                            `json:"max_message_length"`
	MaxTopic        int                            `json:"max_topic_length"`
	MaxName         int                            `json:"max_stream_name_length"`
	MaxDescription  int                            `json:"max_stream_description_length"`
	MaxFolderName   int                            `json:"max_channel_folder_name_length"`
	MaxFolderText   int                            `json:"max_channel_folder_description_length"`
	MaxNote         int                            `json:"max_reminder_note_length"`
	MaxNotices      int                            `json:"max_bulk_new_subscription_messages"`
	MaxFile         int                            `json:"max_file_upload_size_mib"`
	MaxAvatar       int                            `json:"max_avatar_file_size_mib"`
	MaxIcon         int                            `json:"max_icon_file_size_mib"`
	MaxLogo         int                            `json:"max_logo_file_size_mib"`
	MinPassword     int                            `json:"password_min_length"`
	MaxPassword     int                            `json:"password_max_length"`
	MinGuesses      int                            `json:"password_min_guesses"`
	CallURL         *string                        `json:"stoa_call_url"`
	SendsEmail      bool                           `json:"stoa_sends_email"`
}

// permissionKinds lists the group-valued settings, by the kind of their object.
type permissionKinds struct {
	Realm  map[string]group.Description `json:"realm"`
	Stream map[string]group.Description `json:"stream"`
	Group  map[string]group.Description `json:"group"`
}

// shownSettings are the settings in the section.
func shownSettings() any {
	return kit.ValuesOf(patch{}, "realm_", map[string]any{
		"jitsi_server_url": new(*string), "authentication_methods": map[string]method{},
		"message_content_edit_limit_seconds": new(*int), "message_content_delete_limit_seconds": new(*int),
		"move_messages_within_stream_limit_seconds": new(*int), "move_messages_between_streams_limit_seconds": new(*int),
		"message_retention_days": 0,
	})
}

// defaultsKeys is the section realm_user_settings_defaults.
type defaultsKeys struct {
	Defaults userDefaults `json:"realm_user_settings_defaults"`
}

// userDefaults stands for the settings in it.
type userDefaults any

func schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[userDefaults]("UserSettingsDefaults", "The settings of new users.",
			kit.ValuesOf(user.Patch{}, "", map[string]any{
				"available_notification_sounds": []string{}, "emojiset_choices": []user.Emojiset{},
			})),
		kit.SchemaOf[group.Description]("PermissionSetting", "What values a group-valued setting can have."),
	}
}
