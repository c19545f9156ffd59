package push

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Common holds the fields of every payload.
type Common struct {
	Type      string  `json:"type"`
	RealmURL  string  `json:"realm_url"`
	RealmName string  `json:"realm_name"`
	User      user.ID `json:"user_id"`
}

// Test is the payload of a test notification.
type Test struct {
	Common
	Time int64 `json:"time"` // Unix seconds
}

// Message is the payload of a message notification.
type Message struct {
	Common
	ID            message.ID `json:"message_id"`
	Sender        user.ID    `json:"sender_id"`
	SenderName    string     `json:"sender_full_name"`
	SenderAvatar  string     `json:"sender_avatar_url"` // an absolute URL
	Time          int64      `json:"time"`              // Unix seconds
	Content       string     `json:"content"`           // plain text
	RecipientType string     `json:"recipient_type"`    // channel or direct

	Channel     channel.ID `json:"channel_id,omitempty"`
	ChannelName string     `json:"channel_name,omitempty"`
	Topic       string     `json:"topic,omitempty"` // never empty for a channel message
	Recipients  user.Set   `json:"recipient_user_ids,omitempty"`

	Group     group.ID `json:"mentioned_user_group_id,omitempty"`
	GroupName string   `json:"mentioned_user_group_name,omitempty"`
}

// MaxContent is the maximum length of a payload's content in code points. Longer text is truncated.
const MaxContent = 200

// Remove is the payload that withdraws notifications.
type Remove struct {
	Common
	Messages []message.ID `json:"message_ids"` // at most MaxRemoved
}

// MaxRemoved is the maximum number of messages whose notifications one payload withdraws.
const MaxRemoved = 200
