package realm

import "github.com/stoachat/stoa/domain/group"

// patch holds the parameters of PATCH /realm. Each field is the new value of a setting; nil leaves it unchanged.
type patch struct {
	Name                               *string        `json:"name"`
	Description                        *string        `json:"description"`
	StringID                           *string        `json:"string_id"`
	OrgType                            *int           `json:"org_type"`
	DefaultLanguage                    *string        `json:"default_language"`
	DefaultCodeBlockLanguage           *string        `json:"default_code_block_language"`
	DefaultAvatarSource                *string        `json:"default_avatar_source"`
	VideoChatProvider                  *int           `json:"video_chat_provider"`
	JitsiServerURL                     *serverURL     `json:"jitsi_server_url"`
	GIFRatingPolicy                    *int           `json:"gif_rating_policy" alias:"giphy_rating"`
	WelcomeMessageCustomText           *string        `json:"welcome_message_custom_text"`
	WantAdvertiseInCommunities         *bool          `json:"want_advertise_in_communities_directory"`
	AllowMessageEditing                *bool          `json:"allow_message_editing"`
	MessageContentEditLimitSeconds     *timeLimit     `json:"message_content_edit_limit_seconds"`
	MessageContentDeleteLimitSeconds   *timeLimit     `json:"message_content_delete_limit_seconds"`
	MoveMessagesWithinStreamLimit      *timeLimit     `json:"move_messages_within_stream_limit_seconds"`
	MoveMessagesBetweenStreamsLimit    *timeLimit     `json:"move_messages_between_streams_limit_seconds"`
	MessageEditHistoryVisibility       *string        `json:"message_edit_history_visibility_policy"`
	MessageRetentionDays               *retentionDays `json:"message_retention_days"`
	TopicsPolicy                       *string        `json:"topics_policy"`
	InlineImagePreview                 *bool          `json:"inline_image_preview"`
	InlineURLEmbedPreview              *bool          `json:"inline_url_embed_preview"`
	MediaPreviewSize                   *int           `json:"media_preview_size"`
	EnableReadReceipts                 *bool          `json:"enable_read_receipts"`
	SendChannelEventsMessages          *bool          `json:"send_channel_events_messages"`
	MessageContentInEmailNotifications *bool          `json:"message_content_allowed_in_email_notifications"`
	DigestEmailsEnabled                *bool          `json:"digest_emails_enabled"`
	DigestWeekday                      *int           `json:"digest_weekday"`
	SendWelcomeEmails                  *bool          `json:"send_welcome_emails"`
	ModerationRequestChannel           *int64         `json:"moderation_request_channel_id"`
	NewStreamAnnouncementsStream       *int64         `json:"new_stream_announcements_stream_id"`
	SignupAnnouncementsStream          *int64         `json:"signup_announcements_stream_id"`
	ServiceUpdateAnnouncementsStream   *int64         `json:"service_update_announcements_stream_id" alias:"zulip_update_announcements_stream_id"`
	InviteRequired                     *bool          `json:"invite_required"`
	EmailsRestrictedToDomains          *bool          `json:"emails_restricted_to_domains"`
	DisallowDisposableEmailAddresses   *bool          `json:"disallow_disposable_email_addresses"`
	WaitingPeriodThreshold             *int           `json:"waiting_period_threshold"`
	RequireUniqueNames                 *bool          `json:"require_unique_names"`
	NameChangesDisabled                *bool          `json:"name_changes_disabled"`
	EmailChangesDisabled               *bool          `json:"email_changes_disabled"`
	AvatarChangesDisabled              *bool          `json:"avatar_changes_disabled"`
	PresenceDisabled                   *bool          `json:"presence_disabled"`
	EnableSpectatorAccess              *bool          `json:"enable_spectator_access"`
	EnableGuestUserIndicator           *bool          `json:"enable_guest_user_indicator"`
	EnableGuestUserDMWarning           *bool          `json:"enable_guest_user_dm_warning"`
	RequireE2EEPushNotifications       *bool          `json:"require_e2ee_push_notifications"`

	AuthenticationMethods *map[string]bool `json:"authentication_methods"`

	CanAccessAllUsersGroup              *group.Update `json:"can_access_all_users_group"`
	CanAddCustomEmojiGroup              *group.Update `json:"can_add_custom_emoji_group"`
	CanAddSubscribersGroup              *group.Update `json:"can_add_subscribers_group"`
	CanCreateBotsGroup                  *group.Update `json:"can_create_bots_group"`
	CanCreateGroups                     *group.Update `json:"can_create_groups"`
	CanCreatePrivateChannelGroup        *group.Update `json:"can_create_private_channel_group"`
	CanCreatePublicChannelGroup         *group.Update `json:"can_create_public_channel_group"`
	CanCreateWebPublicChannelGroup      *group.Update `json:"can_create_web_public_channel_group"`
	CanCreateWriteOnlyBotsGroup         *group.Update `json:"can_create_write_only_bots_group"`
	CanDeleteAnyMessageGroup            *group.Update `json:"can_delete_any_message_group"`
	CanDeleteOwnMessageGroup            *group.Update `json:"can_delete_own_message_group"`
	CanInviteUsersGroup                 *group.Update `json:"can_invite_users_group"`
	CanManageAllGroups                  *group.Update `json:"can_manage_all_groups"`
	CanManageBillingGroup               *group.Update `json:"can_manage_billing_group"`
	CanMentionManyUsersGroup            *group.Update `json:"can_mention_many_users_group"`
	CanMoveMessagesBetweenChannelsGroup *group.Update `json:"can_move_messages_between_channels_group"`
	CanMoveMessagesBetweenTopicsGroup   *group.Update `json:"can_move_messages_between_topics_group"`
	CanResolveTopicsGroup               *group.Update `json:"can_resolve_topics_group"`
	CanSetDeleteMessagePolicyGroup      *group.Update `json:"can_set_delete_message_policy_group"`
	CanSetTopicsPolicyGroup             *group.Update `json:"can_set_topics_policy_group"`
	CanSummarizeTopicsGroup             *group.Update `json:"can_summarize_topics_group"`
	CreateMultiuseInviteGroup           *group.Update `json:"create_multiuse_invite_group"`
	DirectMessageInitiatorGroup         *group.Update `json:"direct_message_initiator_group"`
	DirectMessagePermissionGroup        *group.Update `json:"direct_message_permission_group"`
	WorkplaceUsersGroup                 *group.Update `json:"workplace_users_group"`
}
