package mattermost

import (
	"encoding/json"

	"github.com/stoachat/stoa/domain/importing"
)

// line is a line of the file. One of the values is set, by the type.
type line struct {
	Type string `json:"type"`

	Version json.RawMessage `json:"version"`
	Info    generator       `json:"info"`

	Team          json.RawMessage `json:"team"`
	Channel       json.RawMessage `json:"channel"`
	User          json.RawMessage `json:"user"`
	Bot           json.RawMessage `json:"bot"`
	Emoji         json.RawMessage `json:"emoji"`
	DirectChannel json.RawMessage `json:"direct_channel"`
	Post          json.RawMessage `json:"post"`
	DirectPost    json.RawMessage `json:"direct_post"`
}

type generator struct {
	Generator string `json:"generator"`
	Version   string `json:"version"`
}

type teamLine struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Description string `json:"description"`
	OpenInvite  bool   `json:"allow_open_invite"`
}

type channelLine struct {
	Team        string `json:"team"`
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Type        string `json:"type"`
	Header      string `json:"header"`
	Purpose     string `json:"purpose"`
	DeletedAt   int64  `json:"deleted_at"`
}

type userLine struct {
	Username     string                         `json:"username"`
	Email        string                         `json:"email"`
	AuthService  string                         `json:"auth_service"`
	AuthData     string                         `json:"auth_data"`
	FirstName    string                         `json:"first_name"`
	LastName     string                         `json:"last_name"`
	Nickname     string                         `json:"nickname"`
	Position     string                         `json:"position"`
	Roles        string                         `json:"roles"`
	DeleteAt     int64                          `json:"delete_at"`
	ProfileImage string                         `json:"profile_image"`
	NotifyProps  userNotify                     `json:"notify_props"`
	CustomStatus *customStatus                  `json:"custom_status"`
	Teams        importing.List[membershipLine] `json:"teams"`
}

type userNotify struct {
	MentionKeys string `json:"mention_keys"`
}

type membershipLine struct {
	Name     string                            `json:"name"`
	Roles    string                            `json:"roles"`
	Channels importing.List[channelMembership] `json:"channels"`
}

type channelMembership struct {
	Name         string        `json:"name"`
	Favorite     bool          `json:"favorite"`
	NotifyProps  channelNotify `json:"notify_props"`
	LastViewedAt int64         `json:"last_viewed_at"`
}

type channelNotify struct {
	MarkUnread string `json:"mark_unread"`
}

type botLine struct {
	Username     string `json:"username"`
	DisplayName  string `json:"display_name"`
	Owner        string `json:"owner"`
	ProfileImage string `json:"profile_image"`
	DeleteAt     int64  `json:"delete_at"`
}

type emojiLine struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

type directChannelLine struct {
	Members      []string                           `json:"members"`
	Participants importing.List[channelParticipant] `json:"participants"`
	FavoritedBy  []string                           `json:"favorited_by"`
	Header       string                             `json:"header"`
}

type channelParticipant struct {
	Username     string `json:"username"`
	LastViewedAt int64  `json:"last_viewed_at"`
}

// postLine is a post to a channel, a direct post, or a reply.
type postLine struct {
	Team           string   `json:"team"`
	Channel        string   `json:"channel"`
	ChannelMembers []string `json:"channel_members"`

	User        string                         `json:"user"`
	Type        string                         `json:"type"`
	Message     string                         `json:"message"`
	Props       json.RawMessage                `json:"props"`
	CreateAt    int64                          `json:"create_at"`
	EditAt      int64                          `json:"edit_at"`
	Pinned      bool                           `json:"is_pinned"`
	FlaggedBy   []string                       `json:"flagged_by"`
	Reactions   importing.List[reactionLine]   `json:"reactions"`
	Replies     importing.List[postLine]       `json:"replies"`
	Attachments importing.List[attachmentLine] `json:"attachments"`
	Followers   importing.List[followerLine]   `json:"thread_followers"`
}

type reactionLine struct {
	User  string `json:"user"`
	Emoji string `json:"emoji_name"`
}

type attachmentLine struct {
	Path string `json:"path"`
}

type followerLine struct {
	User       string `json:"user"`
	LastViewed int64  `json:"last_viewed"`
}
