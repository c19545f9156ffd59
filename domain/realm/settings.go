package realm

import "github.com/stoachat/stoa/domain/group"

// Settings are an organization's settings. Their JSON names are those of PATCH /realm and, with the prefix realm_, of
// /register. Limits in seconds are nil if there is none.
type Settings struct {
	Name                       string `json:"name"`
	Description                string `json:"description"`
	OrgType                    int    `json:"org_type"`
	DefaultLanguage            string `json:"default_language"`
	DefaultCodeBlockLanguage   string `json:"default_code_block_language"`
	DefaultAvatarSource        string `json:"default_avatar_source"`
	IconSource                 string `json:"icon_source"`
	LogoSource                 string `json:"logo_source"`
	NightLogoSource            string `json:"night_logo_source"`
	VideoChatProvider          int    `json:"video_chat_provider"`
	JitsiServerURL             string `json:"jitsi_server_url"` // "": the server's
	GIFRatingPolicy            int    `json:"gif_rating_policy"`
	WelcomeMessageCustomText   string `json:"welcome_message_custom_text"`
	WantAdvertiseInCommunities bool   `json:"want_advertise_in_communities_directory"`

	AllowMessageEditing                bool   `json:"allow_message_editing"`
	MessageContentEditLimitSeconds     *int   `json:"message_content_edit_limit_seconds"`
	MessageContentDeleteLimitSeconds   *int   `json:"message_content_delete_limit_seconds"`
	MoveMessagesWithinStreamLimit      *int   `json:"move_messages_within_stream_limit_seconds"`
	MoveMessagesBetweenStreamsLimit    *int   `json:"move_messages_between_streams_limit_seconds"`
	MessageEditHistoryVisibility       string `json:"message_edit_history_visibility_policy"`
	MessageRetentionDays               int    `json:"message_retention_days"` // -1: forever
	TopicsPolicy                       string `json:"topics_policy"`
	InlineImagePreview                 bool   `json:"inline_image_preview"`
	InlineURLEmbedPreview              bool   `json:"inline_url_embed_preview"`
	MediaPreviewSize                   int    `json:"media_preview_size"`
	EnableReadReceipts                 bool   `json:"enable_read_receipts"`
	SendChannelEventsMessages          bool   `json:"send_channel_events_messages"`
	MessageContentInEmailNotifications bool   `json:"message_content_allowed_in_email_notifications"`
	DigestEmailsEnabled                bool   `json:"digest_emails_enabled"`
	DigestWeekday                      int    `json:"digest_weekday"`
	SendWelcomeEmails                  bool   `json:"send_welcome_emails"`
	ModerationRequestChannel           int64  `json:"moderation_request_channel_id"` // -1: none, as for the next three
	NewStreamAnnouncementsStream       int64  `json:"new_stream_announcements_stream_id"`
	SignupAnnouncementsStream          int64  `json:"signup_announcements_stream_id"`
	ServiceUpdateAnnouncementsStream   int64  `json:"service_update_announcements_stream_id"`
	InviteRequired                     bool   `json:"invite_required"`
	EmailsRestrictedToDomains          bool   `json:"emails_restricted_to_domains"`
	DisallowDisposableEmailAddresses   bool   `json:"disallow_disposable_email_addresses"`
	WaitingPeriodThreshold             int    `json:"waiting_period_threshold"` // days
	PasswordAuth                       bool   `json:"password_auth"`            // logging in by email and password
	RequireUniqueNames                 bool   `json:"require_unique_names"`
	NameChangesDisabled                bool   `json:"name_changes_disabled"`
	EmailChangesDisabled               bool   `json:"email_changes_disabled"`
	AvatarChangesDisabled              bool   `json:"avatar_changes_disabled"`
	PresenceDisabled                   bool   `json:"presence_disabled"`
	EnableSpectatorAccess              bool   `json:"enable_spectator_access"`
	EnableGuestUserIndicator           bool   `json:"enable_guest_user_indicator"`
	EnableGuestUserDMWarning           bool   `json:"enable_guest_user_dm_warning"`
	RequireE2EEPushNotifications       bool   `json:"require_e2ee_push_notifications"`
	OwnerFullContentAccess             bool   `json:"owner_full_content_access"`
	UploadQuotaMiB                     *int   `json:"upload_quota_mib"` // of all files together; nil: unlimited

	// Groups holds the group-valued settings by wire name: can_create_public_channel_group, ...
	Groups map[string]group.Setting `json:"groups"`
}

// The values of message_edit_history_visibility_policy.
const (
	HistoryAll   = "all"
	HistoryMoves = "moves" // without contents
	HistoryNone  = "none"
)
