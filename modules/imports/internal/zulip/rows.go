package zulip

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// The types of recipients.
const (
	personalType = 1
	streamType   = 2
	huddleType   = 3
)

func itoa(id int64) string { return strconv.FormatInt(id, 10) }

// seconds is a time in seconds. A missing or malformed one is zero.
type seconds struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (s *seconds) UnmarshalJSON(text []byte) error {
	if at, err := importing.Seconds(string(text)); err == nil {
		s.Time = at
	}
	return nil
}

type realmRow struct {
	ID                    int64   `json:"id"`
	Name                  string  `json:"name"`
	Description           string  `json:"description"`
	Created               seconds `json:"date_created"`
	Announcements         int64   `json:"new_stream_announcements_stream"`
	Notifications         int64   `json:"notifications_stream"`
	InviteRequired        *bool   `json:"invite_required"`
	WaitingPeriod         *int64  `json:"waiting_period_threshold"`
	MandatoryTopics       *bool   `json:"mandatory_topics"`
	SendWelcomeEmails     *bool   `json:"send_welcome_emails"`
	DefaultLanguage       string  `json:"default_language"`
	EmailsRestricted      *bool   `json:"emails_restricted_to_domains"`
	AllowEditing          *bool   `json:"allow_message_editing"`
	NameChangesDisabled   *bool   `json:"name_changes_disabled"`
	EmailChangesDisabled  *bool   `json:"email_changes_disabled"`
	AvatarChangesDisabled *bool   `json:"avatar_changes_disabled"`
}

type userRow struct {
	ID            int64   `json:"id"`
	DeliveryEmail string  `json:"delivery_email"`
	Email         string  `json:"email"`
	Name          string  `json:"full_name"`
	Role          int     `json:"role"`
	Active        bool    `json:"is_active"`
	Bot           bool    `json:"is_bot"`
	BotType       int     `json:"bot_type"`
	BotOwner      int64   `json:"bot_owner"`
	Joined        seconds `json:"date_joined"`
	Timezone      string  `json:"timezone"`
	AvatarSource  string  `json:"avatar_source"`
	Dummy         bool    `json:"is_mirror_dummy"`

	Language   string `json:"default_language"`
	FullDay    *bool  `json:"twenty_four_hour_time"`
	EnterSends *bool  `json:"enter_sends"`
}

type robotRow struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
}

type streamRow struct {
	ID            int64   `json:"id"`
	Name          string  `json:"name"`
	Description   string  `json:"description"`
	Created       seconds `json:"date_created"`
	Creator       int64   `json:"creator"`
	Deactivated   bool    `json:"deactivated"`
	Private       bool    `json:"invite_only"`
	HistoryPublic *bool   `json:"history_public_to_subscribers"`
	WebPublic     bool    `json:"is_web_public"`
}

type recipientRow struct {
	ID     int64 `json:"id"`
	Type   int   `json:"type"`
	TypeID int64 `json:"type_id"`
}

type subscriptionRow struct {
	User      int64  `json:"user_profile"`
	Recipient int64  `json:"recipient"`
	Active    *bool  `json:"active"`
	Muted     bool   `json:"is_muted"`
	Pinned    bool   `json:"pin_to_top"`
	Color     string `json:"color"`
}

type groupRow struct {
	ID          int64   `json:"id"`
	Pointer     int64   `json:"usergroup_ptr"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	System      bool    `json:"is_system_group"`
	Creator     int64   `json:"creator"`
	Created     seconds `json:"date_created"`
	Deactivated bool    `json:"deactivated"`
}

type groupMemberRow struct {
	Group int64 `json:"user_group"`
	User  int64 `json:"user_profile"`
}

type subgroupRow struct {
	Supergroup int64 `json:"supergroup"`
	Subgroup   int64 `json:"subgroup"`
}

type emojiRow struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	File        string `json:"file_name"`
	Author      int64  `json:"author"`
	Deactivated bool   `json:"deactivated"`
}

type fieldRow struct {
	ID   int64  `json:"id"`
	Type int    `json:"field_type"`
	Name string `json:"name"`
	Hint string `json:"hint"`
	Data string `json:"field_data"`
}

type valueRow struct {
	User  int64  `json:"user_profile"`
	Field int64  `json:"field"`
	Value string `json:"value"`
}

type wordRow struct {
	User int64  `json:"user_profile"`
	Word string `json:"word"`
}

type statusRow struct {
	User  int64  `json:"user_profile"`
	Text  string `json:"status_text"`
	Emoji string `json:"emoji_name"`
}

type topicRow struct {
	User    int64   `json:"user_profile"`
	Stream  int64   `json:"stream"`
	Topic   string  `json:"topic_name"`
	Policy  int     `json:"visibility_policy"`
	Updated seconds `json:"last_updated"`
	Muted   seconds `json:"date_muted"`
}

type identityRow struct {
	User   int64  `json:"user"`
	Method string `json:"external_auth_method_name"`
	ID     string `json:"external_auth_id"`
}

type clientRow struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type reactionRow struct {
	User    int64  `json:"user_profile"`
	Message int64  `json:"message"`
	Name    string `json:"emoji_name"`
	Code    string `json:"emoji_code"`
	Type    string `json:"reaction_type"`
}

type attachmentRow struct {
	Name    string  `json:"file_name"`
	Path    string  `json:"path_id"`
	Owner   int64   `json:"owner"`
	Created seconds `json:"create_time"`
}

type messageRow struct {
	ID          int64           `json:"id"`
	Sender      int64           `json:"sender"`
	Recipient   int64           `json:"recipient"`
	Subject     string          `json:"subject"`
	Content     string          `json:"content"`
	Sent        seconds         `json:"date_sent"`
	Published   seconds         `json:"pub_date"` // the older name
	Client      int64           `json:"sending_client"`
	Edited      seconds         `json:"last_edit_time"`
	EditHistory json.RawMessage `json:"edit_history"`
}

type flagsRow struct {
	User    int64 `json:"user_profile"`
	Message int64 `json:"message"`
	Flags   int64 `json:"flags_mask"`
}
