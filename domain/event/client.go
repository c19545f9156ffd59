package event

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/user"
)

// Client is what kind of client reads: all that an event's shared form may depend on. It is comparable, so that a form
// is encoded once for all queues of the same kind. The json names are how a queue's row remembers it.
type Client struct {
	ApplyMarkdown  bool           `json:"apply_markdown"`  // HTML content, else Markdown
	ClientGravatar bool           `json:"client_gravatar"` // avatar_url null where the client can compute it
	SlimPresence   bool           `json:"slim_presence"`
	Subscribers    SubscriberList `json:"subscribers"`
	PlainPronouns  bool           `json:"plain_pronouns,omitempty"` // profile fields for pronouns are shown as short texts
	ZulipNames     bool           `json:"zulip_names,omitempty"`    // values are spelled zulip_..., not service_... (realm.Naming)
	Capabilities
}

// SubscriberList says whether channel records carry their subscribers.
type SubscriberList int8

// The values of include_subscribers.
const (
	NoSubscribers SubscriberList = iota
	AllSubscribers
	PartialSubscribers
)

// Capabilities are the client_capabilities of /register.
type Capabilities struct {
	NotificationSettingsNull bool `json:"notification_settings_null"`
	BulkMessageDeletion      bool `json:"bulk_message_deletion"`
	UserAvatarURLOptional    bool `json:"user_avatar_url_field_optional"`
	StreamTyping             bool `json:"stream_typing_notifications"`
	UserSettingsObject       bool `json:"user_settings_object"`
	LinkifierURLTemplate     bool `json:"linkifier_url_template"`
	UserListIncomplete       bool `json:"user_list_incomplete"`
	DeactivatedGroups        bool `json:"include_deactivated_groups"`
	ArchivedChannels         bool `json:"archived_channels"`
	EmptyTopicName           bool `json:"empty_topic_name"`
	SimplifiedPresence       bool `json:"simplified_presence_events"`
	IndividualEmoji          bool `json:"individual_emoji_changes"`
}

// Receiver is one queue about to receive an event.
type Receiver struct {
	User      *user.User
	View      *directory.View // as of the event
	Head      *directory.View // as of now
	Addressed bool            // in the event's audience; false only for types that go beyond it
	Queue     Queue
}

// Queue is what a person asked for when registering.
type Queue struct {
	ID         string
	Client     Client
	ClientName string        // from the User-Agent at registration
	Types      []string      `json:"types"` // the event types that it named; nil: all
	AllPublic  bool          // messages of all public channels
	Narrow     []narrow.Term // a filter on message events
}
