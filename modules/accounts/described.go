package accounts

import (
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// The types in this file describe responses that are maps or encode themselves.

type settingsKeys struct {
	Settings ownSettings `json:"user_settings"`
}

// ownSettings stands for the caller's settings.
type ownSettings any

type listedUsers struct {
	Members []person `json:"members"`
}

type serverKeys struct {
	Level        int             `json:"service_feature_level"`
	Version      string          `json:"service_version"`
	MergeBase    string          `json:"service_merge_base"`
	Stoa         string          `json:"stoa_version"`
	Push         bool            `json:"push_notifications_enabled"`
	Incompatible bool            `json:"is_incompatible"`
	EmailNames   bool            `json:"require_email_format_usernames"`
	EmailAuth    bool            `json:"email_auth_enabled"`
	Methods      map[string]bool `json:"authentication_methods"`
	External     []signin.Method `json:"external_authentication_methods"`
	Modules      []string        `json:"stoa_modules,omitempty"`
	URL          string          `json:"realm_url,omitempty"`
	URI          string          `json:"realm_uri,omitempty"`
	Name         string          `json:"realm_name,omitempty"`
	Icon         string          `json:"realm_icon,omitempty"`
	Description  string          `json:"realm_description,omitempty"`
	Spectators   bool            `json:"realm_web_public_access_enabled,omitempty"`
	kit.PublicKeys
}

type deletion struct {
	Profile bool `json:"delete_profile"`
	Public  bool `json:"delete_public_channel_messages"`
	Private bool `json:"delete_private_channel_messages"`
	Direct  bool `json:"delete_direct_messages"`
}

func schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[person]("User", "A user or a bot."),
		kit.SchemaOf[ownKey]("ApiKey", "An API key of the caller, without the key itself."),
		kit.SchemaOf[list]("Users", "Users, as the caller sees them.", []person{}),
		kit.SchemaOf[botOwner]("BotOwner", "The ID of a bot's owner; null: it has none.", user.ID(0), nil),
		kit.SchemaOf[user.Record]("OwnUser", "The caller, as they see themselves.", person{}),
		kit.SchemaOf[user.Deletion]("Deletion", "What to delete of a user.", deletion{}),
		kit.SchemaOf[ownSettings]("UserSettings", "The personal settings of the caller.",
			kit.ValuesOf(user.Patch{}, "", map[string]any{
				"timezone": "", "available_notification_sounds": []string{}, "emojiset_choices": []user.Emojiset{},
			})),
	}
}
