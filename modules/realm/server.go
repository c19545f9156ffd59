package realm

import (
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// thumbnail describes a thumbnail format to clients.
type thumbnail struct {
	Name      string `json:"name"`
	MaxWidth  int    `json:"max_width"`
	MaxHeight int    `json:"max_height"`
	Format    string `json:"format"`
	Animated  bool   `json:"animated"`
}

// server returns the keys of /register that describe the server.
func (s *service) server(a kit.Actor) map[string]any {
	gifs := map[string]choice{
		"disabled": {0, "GIFs disabled"},
		"y":        {1, "Allow GIFs rated Y (Very young audience)"},
		"g":        {2, "Allow GIFs rated G (General audience)"},
		"pg":       {3, "Allow GIFs rated PG (Parental guidance)"},
		"pg-13":    {4, "Allow GIFs rated PG-13 (Parental guidance - under 13)"},
		"r":        {5, "Allow GIFs rated R (Restricted)"},
	}
	return map[string]any{
		"event_queue_longpoll_timeout_seconds":             90,
		"server_presence_ping_interval_seconds":            60,
		"server_presence_offline_threshold_seconds":        200,
		"server_typing_started_wait_period_milliseconds":   30000,
		"server_typing_stopped_wait_period_milliseconds":   12000,
		"server_typing_started_expiry_period_milliseconds": 45000,
		"server_emoji_data_url":                            a.URL + staticPrefix + s.static.emoji,
		"server_generation":                                s.started,
		"server_inline_image_preview":                      true,
		"server_inline_url_embed_preview":                  false, // overwritten by the module previews
		"server_avatar_changes_disabled":                   false,
		"server_name_changes_disabled":                     false,
		"server_needs_upgrade":                             false,
		"server_web_public_streams_enabled":                false,
		"server_jitsi_server_url":                          orNull(s.cfg.JitsiURL),
		"server_can_summarize_topics":                      false,
		"server_thumbnail_formats": []thumbnail{
			{"840x560-anim.webp", 840, 560, "webp", true}, {"840x560.webp", 840, 560, "webp", false},
		},
		"server_report_message_types":                message.ReportTypes(),
		"server_supported_permission_settings":       supported(),
		"server_min_deactivated_realm_deletion_days": realm.MinDeletionDays,
		"server_max_deactivated_realm_deletion_days": nil,
		"settings_send_digest_emails":                true,
		"development_environment":                    false,
		"service_plan_is_not_limited":                true,
		"upgrade_text_for_wide_organization_logo":    "",
		"gif_rating_policy_options":                  gifs,
		"giphy_rating_options":                       gifs,
		"max_message_length":                         10000,
		"max_topic_length":                           60,
		"max_stream_name_length":                     60,
		"max_stream_description_length":              1024,
		"max_channel_folder_name_length":             60,
		"max_channel_folder_description_length":      1024,
		"max_reminder_note_length":                   500,
		"max_bulk_new_subscription_messages":         100,
		"max_file_upload_size_mib":                   100, // overwritten by the module uploads
		"max_avatar_file_size_mib":                   5,
		"max_icon_file_size_mib":                     5,
		"max_logo_file_size_mib":                     5,
		"password_min_length":                        user.MinPassword, // overwritten by the module accounts
		"password_max_length":                        user.MaxPassword,
		"password_min_guesses":                       0, // overwritten likewise
		"stoa_call_url":                              orNull(s.cfg.CallURL),
		"stoa_sends_email":                           false, // overwritten by the module mail
	}
}

// orNull returns s, or nil if it is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// supported describes all permission settings, by scope and name.
func supported() map[group.Scope]map[string]group.Description {
	out := map[group.Scope]map[string]group.Description{}
	nobody := group.SystemName(group.Nobody)
	for scope, creator := range map[group.Scope]string{group.OfRealm: "", group.OfStream: "channel_creator",
		group.OfGroup: "group_creator"} {
		out[scope] = map[string]group.Description{}
		for _, r := range permission.Settings(scope) {
			d := r.Describe()
			if r.Default == group.Creator {
				d.DefaultGroupName = creator
			}
			if scope == group.OfGroup {
				d.DefaultForSystemGroups = &nobody
			}
			out[scope][r.Name] = d
		}
	}
	return out
}
