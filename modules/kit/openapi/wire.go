package openapi

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/draft"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// wireTypes are types of the domain that encode themselves.
var wireTypes = []kit.Schema{
	kit.SchemaOf[group.Setting]("GroupSetting", "A set of users: a user group, or users and groups without a name.",
		ids.Group(0), unnamedGroup{}),
	kit.SchemaOf[group.Update]("GroupSettingUpdate", "A new value of a setting, and the value that the client expects."),
	kit.SchemaOf[channel.FolderRecord]("ChannelFolder", "A channel folder."),
	kit.SchemaOf[channel.Bundle]("DefaultChannelGroup", "A group of default channels, which new users may choose."),
	kit.SchemaOf[message.Attachment]("Attachment", "An uploaded file."),
	kit.SchemaOf[message.Reaction]("Reaction", "A reaction to a message."),
	kit.SchemaOf[message.Submessage]("Submessage", "Data that is attached to a message."),
	kit.SchemaOf[profilefield.Record]("ProfileField", "A custom profile field."),
	kit.SchemaOf[status.Shown]("UserStatus", "The status of a user."),
	kit.SchemaOf[draft.Input]("Draft", "A draft to store."),
	kit.SchemaOf[push.Subscription]("WebPushSubscription", "A subscription, as the browser returns it.",
		webPushSubscription{}),
	kit.SchemaOf[user.Role]("Role", "100: owner, 200: administrator, 300: moderator, 400: member, 600: guest.").
		Enum("owner administrator moderator member guest",
			user.Owner, user.Admin, user.Moderator, user.Member, user.Guest),
	kit.SchemaOf[user.BotType]("BotType", "1: generic bot, 2: incoming webhook, 3: outgoing webhook, 4: embedded bot.").
		Enum("generic incoming_webhook outgoing_webhook embedded",
			user.GenericBot, user.IncomingWebhook, user.OutgoingWebhook, user.EmbeddedBot),
	kit.SchemaOf[topic.Visibility]("TopicVisibility", "0: none, the channel's setting applies; 1: muted; 2: unmuted; "+
		"3: followed.").Enum("none muted unmuted followed", topic.None, topic.Muted, topic.Unmuted, topic.Followed),
	kit.SchemaOf[draft.Kind]("DraftType", "stream, private, or empty for a draft without recipient.").
		Enum("unaddressed stream private", draft.Unaddressed, draft.ToChannel, draft.ToPeople),
	kit.SchemaOf[profilefield.Type]("ProfileFieldType", "1: short text, 2: long text, 3: list of options, 4: date, "+
		"5: link, 6: users, 7: external account, 8: pronouns.").
		Enum("short_text long_text select date link users external_account pronouns", profilefield.ShortText,
			profilefield.LongText, profilefield.Select, profilefield.Date, profilefield.Link, profilefield.Users,
			profilefield.External, profilefield.Pronouns),
}

// unnamedGroup is a group.Setting that is not a group.
type unnamedGroup struct {
	Members   idset.Set[user.ID]   `json:"direct_members" doc:"The IDs of users in the set."`
	Subgroups idset.Set[ids.Group] `json:"direct_subgroups" doc:"The IDs of user groups in the set."`
}

// webPushSubscription is the JSON of a PushSubscription of the Push API.
type webPushSubscription struct {
	Endpoint   string      `json:"endpoint" doc:"The URL of the push service."`
	Expiration *float64    `json:"expirationTime,omitempty" doc:"When the subscription ends; ignored."`
	Keys       webPushKeys `json:"keys" doc:"The keys of the browser."`
}

type webPushKeys struct {
	P256dh string `json:"p256dh" doc:"The public key, in URL-safe base64."`
	Auth   string `json:"auth" doc:"The authentication secret, in URL-safe base64."`
}

const introduction = `Parameters come from the path, the query and the body, whichever a client prefers. A body is a
form, in which every value that is not a text is JSON, or one JSON object.

Responses are JSON objects: with result "success" and the keys of the operation, or with result "error", a code for
programs and a msg for people. A refused request has changed nothing.

To follow what happens, register an event queue with POST /register, which also returns the present state, then call
GET /events again and again, each time with the ID of the last event that you have seen.

Programs authenticate with HTTP Basic, an email address and an API key. Pages that run in the browser of somebody who is
logged in call the same operations under /json instead of /api/v1, with the cookie of the session and the header
X-CSRFToken.`
