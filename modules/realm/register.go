package realm

import (
	"context"
	"maps"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/kit"
)

// section returns the section realm of /register, which describes the organization and the server.
func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (map[string]any, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	r := v.Realm()
	keys := s.server(a)
	for name, value := range plainKeys(r.Settings) {
		if id, ok := value.(int64); ok && hidesChannel(name) {
			value = visibleChannel(v, v.User(a.User), id)
		}
		keys["realm_"+name] = value
	}
	for name, value := range r.Settings.Groups {
		seen := permission.Shown(v, value)
		keys["realm_"+name] = seen
		for k, old := range legacyKeys(name, seen) {
			keys["realm_"+k] = old
		}
	}
	providers, err := s.callProviders(ctx)
	if err != nil {
		return nil, err
	}
	html, err := s.describe(ctx, v, r)
	if err != nil {
		return nil, err
	}
	for k, value := range map[string]any{
		"url": a.URL, "uri": a.URL, "uuid": r.UUID, "bot_domain": r.MailDomain, "date_created": r.Created.Unix(),
		"plan_type": 1,
		"icon_url":  r.EmblemURL(realm.Icon), "logo_url": r.EmblemURL(realm.Logo),
		"night_logo_url": r.EmblemURL(realm.NightLogo), "empty_topic_display_name": topic.EmptyName,
		"rendered_description": html,
		"email_auth_enabled":   r.Settings.PasswordAuth, "password_auth_enabled": r.Settings.PasswordAuth,
		"push_notifications_enabled": false, "push_notifications_enabled_end_timestamp": nil,
		"available_video_chat_providers": providers,
		"default_external_accounts":      profilefield.Presets(),
	} {
		keys["realm_"+k] = value
	}
	if a.User == 0 { // spectators cannot use these features
		keys["realm_presence_disabled"], keys["realm_allow_message_editing"] = true, false
		keys["realm_moderation_request_channel_id"] = noChannel
		delete(keys, "realm_welcome_message_custom_text")
	}
	keys["jitsi_server_url"] = keys["server_jitsi_server_url"]
	if own := r.Settings.JitsiServerURL; own != "" {
		keys["jitsi_server_url"] = own
	}
	all, err := s.Description.Ask(ctx, realm.Description{Realm: r.ID, Keys: keys})
	if err != nil {
		return nil, err
	}
	if err := realm.Describe(keys, all); err != nil {
		return nil, err
	}
	return keys, s.addAliases(ctx, keys)
}

// addAliases adds the aliases of keys, such as those that contain a product name.
func (s *service) addAliases(ctx context.Context, keys map[string]any) error {
	aliases, _, err := s.Aliases.Ask(ctx, realm.KeyAliases{Keys: keys})
	maps.Copy(keys, aliases)
	return err
}

// plainKeys returns the settings that are not group-valued, as clients receive them, and the legacy keys derived from
// them.
func plainKeys(s realm.Settings) map[string]any {
	keys := setting.Values(s)
	delete(keys, "groups")
	delete(keys, "password_auth")
	keys["authentication_methods"] = methods(s)
	if s.JitsiServerURL == "" {
		keys["jitsi_server_url"] = nil
	}
	for _, name := range []string{"topics_policy", "message_edit_history_visibility_policy", "gif_rating_policy"} {
		for k, v := range legacyKeys(name, keys[name]) {
			keys[k] = v
		}
	}
	return keys
}

type choice struct {
	ID   int    `json:"id" doc:"The value of the setting."`
	Name string `json:"name"`
}

type method struct {
	Enabled   bool `json:"enabled"`
	Available bool `json:"available"`
}

func methods(s realm.Settings) map[string]method {
	return map[string]method{emailMethod: {Enabled: s.PasswordAuth, Available: true}}
}

// emailMethod is the only authentication method: email and password.
const emailMethod = "Email"

// legacyKeys returns the keys that clients of older feature levels read instead of a setting.
func legacyKeys(name string, value any) map[string]any {
	switch name {
	case "topics_policy":
		return map[string]any{"mandatory_topics": value == "disable_empty_topic"}
	case "message_edit_history_visibility_policy":
		return map[string]any{"allow_edit_history": value != "none"}
	case "gif_rating_policy":
		return map[string]any{"giphy_rating": value}
	}
	g, ok := value.(group.Setting)
	if !ok {
		return nil
	}
	switch named := g.Normal().Group; name {
	case "can_mention_many_users_group":
		return map[string]any{"wildcard_mention_policy": legacyNumber(named, 5, mentionPolicies)}
	case "can_create_public_channel_group":
		return map[string]any{"create_public_stream_policy": legacyNumber(named, 1, createPolicies)}
	case "can_create_private_channel_group":
		return map[string]any{"create_private_stream_policy": legacyNumber(named, 1, createPolicies)}
	case "can_create_web_public_channel_group":
		return map[string]any{"create_web_public_stream_policy": legacyNumber(named, 7, webPublicPolicies)}
	}
	return nil
}

// These maps contain the numbers that represented groups before group-setting values existed.
var (
	mentionPolicies = map[group.ID]int{
		group.Everyone: 1, group.Members: 2, group.FullMembers: 3, group.Administrators: 5, group.Nobody: 6,
		group.Moderators: 7,
	}
	createPolicies = map[group.ID]int{
		group.Members:        1,
		group.Administrators: 2,
		group.FullMembers:    3,
		group.Moderators:     4,
	}
	webPublicPolicies = map[group.ID]int{group.Administrators: 2, group.Moderators: 4, group.Nobody: 6, group.Owners: 7}
)

// legacyNumber returns the number of a group in policies, or fallback if the group has none.
func legacyNumber(g group.ID, fallback int, policies map[group.ID]int) int {
	if n, ok := policies[g]; ok {
		return n
	}
	return fallback
}
