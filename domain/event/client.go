package event

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/user"
)

// Client holds the properties of a client on which an event's encoding may depend. It is comparable, so that each
// encoding is shared by all queues with the same properties. The JSON names are stored in the queue's row.
type Client struct {
	ApplyMarkdown  bool           `json:"apply_markdown"`  // HTML content, otherwise Markdown
	ClientGravatar bool           `json:"client_gravatar"` // avatar_url is null if the client can compute it
	SlimPresence   bool           `json:"slim_presence"`
	Subscribers    SubscriberList `json:"subscribers"`
	PlainPronouns  bool           `json:"plain_pronouns,omitempty"` // pronouns fields appear as short text
	// names are spelled zulip_..., not service_... (realm.KnowsOnlyZulipNames)
	ZulipNames bool `json:"zulip_names,omitempty"`
	Capabilities
}

// SubscriberList determines whether channel records contain their subscribers.
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
	// NarrowedChanges lets a queue with a narrow of one channel follow that channel. See Receiver.Follows.
	NarrowedChanges bool `json:"narrowed_changes,omitempty"`
	// StatusEndTimes adds scheduled_end_time to statuses.
	StatusEndTimes bool `json:"status_end_times,omitempty"`
	// DoNotDisturb adds the event do_not_disturb.
	DoNotDisturb bool `json:"do_not_disturb,omitempty"`
	// ModuleSettings adds the event stoa_settings.
	ModuleSettings bool `json:"stoa_settings,omitempty"`
	// WildcardMentions tells the client which unread messages mention the user only with others, so that it can count
	// them itself when a channel or topic is muted or unmuted.
	WildcardMentions bool `json:"wildcard_mentions,omitempty"`
}

// Receiver is a queue that an event is about to be delivered to.
type Receiver struct {
	User      *user.User
	View      *directory.View // as of the event
	Head      *directory.View // as of now
	Addressed bool            // is in the event's audience; false only for event types delivered beyond it
	Queue     Queue
}

// Follows reports whether the queue follows a conversation: the client has the capability narrowed_changes, the queue
// is narrowed to exactly this channel, and its user could read the channel's whole history at the time of the event.
// Such a queue receives the messages of the channel and all their changes, whether its user is subscribed or not.
func (r Receiver) Follows(in message.Recipient) bool {
	return r.Queue.Client.NarrowedChanges && narrow.IsChannel(r.View, r.Queue.Narrow, in) &&
		message.AccessTo(r.View, in, r.View.User(r.User.ID)) == message.AllAccess
}

// Queue describes an event queue, as requested at registration.
type Queue struct {
	ID         string
	Client     Client
	ClientName string        // from the User-Agent at registration
	Types      []string      `json:"types"` // the requested event types; nil: all
	AllPublic  bool          // include messages of all public channels
	Narrow     []narrow.Term // filters message events
}
