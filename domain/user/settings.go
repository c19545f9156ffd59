package user

// Settings are a user's personal settings. Their JSON names are those of PATCH /settings and of user_settings in
// /register.
type Settings struct {
	Timezone        string `json:"timezone"`
	DefaultLanguage string `json:"default_language"`

	TwentyFourHourTime                bool   `json:"twenty_four_hour_time"`
	WebMarkReadOnScrollPolicy         int    `json:"web_mark_read_on_scroll_policy"`
	WebChannelDefaultView             int    `json:"web_channel_default_view"`
	StarredMessageCounts              bool   `json:"starred_message_counts"`
	ReceivesTypingNotifications       bool   `json:"receives_typing_notifications"`
	WebSuggestUpdateTimezone          bool   `json:"web_suggest_update_timezone"`
	FluidLayoutWidth                  bool   `json:"fluid_layout_width"`
	HighContrastMode                  bool   `json:"high_contrast_mode"`
	WebFontSizePx                     int    `json:"web_font_size_px"`
	WebLineHeightPercent              int    `json:"web_line_height_percent"`
	ColorScheme                       int    `json:"color_scheme"`
	TranslateEmoticons                bool   `json:"translate_emoticons"`
	DisplayEmojiReactionUsers         bool   `json:"display_emoji_reaction_users"`
	WebHomeView                       string `json:"web_home_view"`
	WebEscapeNavigatesToHomeView      bool   `json:"web_escape_navigates_to_home_view"`
	LeftSideUserlist                  bool   `json:"left_side_userlist"`
	Emojiset                          string `json:"emojiset"`
	DemoteInactiveStreams             int    `json:"demote_inactive_streams"`
	UserListStyle                     int    `json:"user_list_style"`
	WebAnimateImagePreviews           string `json:"web_animate_image_previews"`
	WebStreamUnreadsCountPolicy       int    `json:"web_stream_unreads_count_display_policy"`
	WebLeftSidebarShowChannelFolders  bool   `json:"web_left_sidebar_show_channel_folders"`
	WebLeftSidebarUnreadsCountSummary bool   `json:"web_left_sidebar_unreads_count_summary"`
	WebInboxShowChannelFolders        bool   `json:"web_inbox_show_channel_folders"`
	WebNavigateToSentMessage          bool   `json:"web_navigate_to_sent_message"`
	HideAIFeatures                    bool   `json:"hide_ai_features"`
	EnableDraftsSynchronization       bool   `json:"enable_drafts_synchronization"`
	EnterSends                        bool   `json:"enter_sends"`

	// 1 everyone, 2 members, 3 admins, 4 nobody, 5 moderators
	EmailAddressVisibility             int    `json:"email_address_visibility"`
	SendPrivateTypingNotifications     bool   `json:"send_private_typing_notifications"`
	SendStreamTypingNotifications      bool   `json:"send_stream_typing_notifications"`
	SendReadReceipts                   bool   `json:"send_read_receipts"`
	AllowPrivateDataExport             bool   `json:"allow_private_data_export"`
	PresenceEnabled                    bool   `json:"presence_enabled"`
	ResolvedTopicNoticeAutoReadPolicy  string `json:"resolved_topic_notice_auto_read_policy"`
	AutomaticallyFollowTopicsPolicy    int    `json:"automatically_follow_topics_policy"`
	AutomaticallyUnmuteTopicsPolicy    int    `json:"automatically_unmute_topics_in_muted_streams_policy"`
	AutomaticallyFollowTopicsMentioned bool   `json:"automatically_follow_topics_where_mentioned"`

	EnableStreamDesktopNotifications        bool   `json:"enable_stream_desktop_notifications"`
	EnableStreamEmailNotifications          bool   `json:"enable_stream_email_notifications"`
	EnableStreamPushNotifications           bool   `json:"enable_stream_push_notifications"`
	EnableStreamAudibleNotifications        bool   `json:"enable_stream_audible_notifications"`
	EnableDesktopNotifications              bool   `json:"enable_desktop_notifications"`
	EnableSounds                            bool   `json:"enable_sounds"`
	EnableOfflineEmailNotifications         bool   `json:"enable_offline_email_notifications"`
	EnableOfflinePushNotifications          bool   `json:"enable_offline_push_notifications"`
	EnableOnlinePushNotifications           bool   `json:"enable_online_push_notifications"`
	EnableFollowedTopicDesktopNotifications bool   `json:"enable_followed_topic_desktop_notifications"`
	EnableFollowedTopicEmailNotifications   bool   `json:"enable_followed_topic_email_notifications"`
	EnableFollowedTopicPushNotifications    bool   `json:"enable_followed_topic_push_notifications"`
	EnableFollowedTopicAudibleNotifications bool   `json:"enable_followed_topic_audible_notifications"`
	EnableFollowedTopicWildcardNotify       bool   `json:"enable_followed_topic_wildcard_mentions_notify"`
	WildcardMentionsNotify                  bool   `json:"wildcard_mentions_notify"`
	PMContentInDesktopNotifications         bool   `json:"pm_content_in_desktop_notifications"`
	MessageContentInEmailNotifications      bool   `json:"message_content_in_email_notifications"`
	EnableDigestEmails                      bool   `json:"enable_digest_emails"`
	EnableLoginEmails                       bool   `json:"enable_login_emails"`
	EnableMarketingEmails                   bool   `json:"enable_marketing_emails"`
	NotificationSound                       string `json:"notification_sound"`
	DesktopIconCountDisplay                 int    `json:"desktop_icon_count_display"`
	RealmNameInEmailNotificationsPolicy     int    `json:"realm_name_in_email_notifications_policy"`
	EmailNotificationsBatchingPeriod        int    `json:"email_notifications_batching_period_seconds"`
}
