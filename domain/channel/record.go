package channel

import (
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Record is a channel in wire form. Its keys are exactly those of the documented API, because clients with strict
// decoding reject any others.
type Record struct {
	ID                ID      `json:"stream_id"`
	Name              string  `json:"name"`
	Description       string  `json:"description"`
	Rendered          string  `json:"rendered_description"`
	Created           int64   `json:"date_created"`
	Creator           *int64  `json:"creator_id"`
	Private           bool    `json:"invite_only"`
	WebPublic         bool    `json:"is_web_public"`
	HistoryPublic     bool    `json:"history_public_to_subscribers"`
	Archived          bool    `json:"is_archived"`
	RetentionDays     *int    `json:"message_retention_days"`
	FirstMessage      *int64  `json:"first_message_id"`
	Folder            *int64  `json:"folder_id"`
	RecentlyActive    bool    `json:"is_recently_active"`
	WeeklyTraffic     *int    `json:"stream_weekly_traffic"`
	SubscriberCount   int     `json:"subscriber_count"`
	TopicsPolicy      string  `json:"topics_policy"`
	PostPolicy        int     `json:"stream_post_policy"`
	AnnouncementOnly  bool    `json:"is_announcement_only"`
	CanAddSubscribers Setting `json:"can_add_subscribers_group"`
	CanAdminister     Setting `json:"can_administer_channel_group"`
	CanCreateTopic    Setting `json:"can_create_topic_group"`
	CanDeleteAny      Setting `json:"can_delete_any_message_group"`
	CanDeleteOwn      Setting `json:"can_delete_own_message_group"`
	CanMoveOut        Setting `json:"can_move_messages_out_of_channel_group"`
	CanMoveWithin     Setting `json:"can_move_messages_within_channel_group"`
	CanRemove         Setting `json:"can_remove_subscribers_group"`
	CanResolve        Setting `json:"can_resolve_topics_group"`
	CanSend           Setting `json:"can_send_message_group"`
	CanSubscribe      Setting `json:"can_subscribe_group"`

	Default            *bool      `json:"is_default,omitempty"`          // only if requested
	Subscribers        *[]user.ID `json:"subscribers,omitempty"`         // only if requested
	PartialSubscribers *[]user.ID `json:"partial_subscribers,omitempty"` // in place of subscribers, for large channels
}

// Setting is the value of a group setting in wire form.
type Setting = group.Setting

// NewRecord returns the record of c. active contains the realm's active users; group settings omit all others.
func NewRecord(c *Channel, subscribers int, active user.Set) Record {
	can := func(name string) Setting {
		s := c.Permissions[name]
		s.Members = s.Members.And(active)
		return s.Normal()
	}
	post := PostPolicy(c.Permissions["can_send_message_group"])
	return Record{
		ID: c.ID, Name: c.Name, Description: c.Description, Rendered: c.Rendered, Created: c.Created.Unix(),
		Creator: orNull(int64(c.Creator)), Private: c.Private, WebPublic: c.WebPublic, HistoryPublic: c.HistoryPublic,
		Archived: c.Archived, RetentionDays: c.RetentionDays, FirstMessage: orNull(c.FirstMessage),
		Folder:         orNull(int64(c.Folder)),
		RecentlyActive: !c.Quiet, WeeklyTraffic: c.Weekly, SubscriberCount: subscribers,
		TopicsPolicy: c.TopicsPolicy, PostPolicy: post, AnnouncementOnly: post == 2,
		CanAddSubscribers: can("can_add_subscribers_group"),
		CanAdminister:     can("can_administer_channel_group"),
		CanCreateTopic:    can("can_create_topic_group"),
		CanDeleteAny:      can("can_delete_any_message_group"),
		CanDeleteOwn:      can("can_delete_own_message_group"),
		CanMoveOut:        can("can_move_messages_out_of_channel_group"),
		CanMoveWithin:     can("can_move_messages_within_channel_group"),
		CanRemove:         can("can_remove_subscribers_group"),
		CanResolve:        can("can_resolve_topics_group"),
		CanSend:           can("can_send_message_group"),
		CanSubscribe:      can("can_subscribe_group"),
	}
}

// Named returns the users named in the channel's permission settings.
func (c *Channel) Named() user.Set {
	var all user.Set
	for _, s := range c.Permissions {
		all = all.Union(s.Members)
	}
	return all
}

func orNull(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// SubscriptionRecord is a subscription in wire form: the channel's record with the user's settings.
type SubscriptionRecord struct {
	Record
	PersonalRecord
}

// PersonalRecord holds a user's settings for a subscription in wire form.
type PersonalRecord struct {
	Color      string `json:"color"`
	Muted      bool   `json:"is_muted"`
	InHomeView bool   `json:"in_home_view"` // the older form of is_muted
	Pinned     bool   `json:"pin_to_top"`
	Desktop    *bool  `json:"desktop_notifications"`
	Audible    *bool  `json:"audible_notifications"`
	Push       *bool  `json:"push_notifications"`
	Email      *bool  `json:"email_notifications"`
	Wildcard   *bool  `json:"wildcard_mentions_notify"`
}

// NewSubscriptionRecord combines a channel's record with a user's settings.
func NewSubscriptionRecord(r Record, p Personal) SubscriptionRecord {
	return SubscriptionRecord{r, p.Record()}
}

// Record returns the wire form.
func (p Personal) Record() PersonalRecord {
	return PersonalRecord{
		Color: p.Color, Muted: p.Muted, InHomeView: !p.Muted, Pinned: p.Pinned,
		Desktop: p.Desktop, Audible: p.Audible, Push: p.Push, Email: p.Email, Wildcard: p.Wildcard,
	}
}
