package realm_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestPatch(t *testing.T) {
	s := start(t)
	olga, secret := s.As("olga"), s.ChannelID("secret")
	for _, c := range []struct{ name, value, event string }{
		{"name", " Stoa ", `realm/update everyone {"property":"name","value":"Stoa"}`},
		{"description", "*calm*", `realm/update_dict everyone {"property":"default","data":{"description":"*calm*",` +
			`"rendered_description":"<p><em>calm</em></p>"}}`},
		{"message_content_edit_limit_seconds", "unlimited",
			`realm/update_dict everyone {"property":"default","data":{"message_content_edit_limit_seconds":null}}`},
		{"message_content_edit_limit_seconds", "60",
			`realm/update_dict everyone {"property":"default","data":{"message_content_edit_limit_seconds":60}}`},
		{"message_content_delete_limit_seconds", `"unlimited"`,
			`realm/update_dict everyone {"property":"default","data":{"message_content_delete_limit_seconds":null}}`},
		{"message_retention_days", "30", `realm/update everyone {"property":"message_retention_days","value":30}`},
		{"message_retention_days", "unlimited", `realm/update everyone {"property":"message_retention_days","value":-1}`},
		{"topics_policy", "disable_empty_topic", `realm/update_dict everyone {"property":"default",` +
			`"data":{"topics_policy":"disable_empty_topic","mandatory_topics":true}}`},
		{"message_edit_history_visibility_policy", "none", `realm/update_dict everyone {"property":"default",` +
			`"data":{"message_edit_history_visibility_policy":"none","allow_edit_history":false}}`},
		{"allow_message_editing", "false", `realm/update_dict everyone {"property":"default",` +
			`"data":{"allow_message_editing":false}}`},
		{"jitsi_server_url", "https://meet.example.com",
			`realm/update everyone {"property":"jitsi_server_url","value":"https://meet.example.com"}`},
		{"jitsi_server_url", `"default"`, `realm/update everyone {"property":"jitsi_server_url","value":null}`},
		{"jitsi_server_url", "https://meet.example.com",
			`realm/update everyone {"property":"jitsi_server_url","value":"https://meet.example.com"}`},
		{"moderation_request_channel_id", fmt.Sprint(secret),
			fmt.Sprintf(`realm/update everyone {"property":"moderation_request_channel_id","value":%d}`, secret)},
		{"giphy_rating", "3", "realm/update everyone {\"property\":\"gif_rating_policy\",\"value\":3}\nrealm/update " +
			"everyone {\"property\":\"giphy_rating\",\"value\":3}"},
		{"can_mention_many_users_group", `{"new":7,"old":3}`, `realm/update_dict everyone {"property":"default",` +
			`"data":{"can_mention_many_users_group":7,"wildcard_mention_policy":1}}`},
		{"can_create_public_channel_group", `{"new":{"direct_members":[],"direct_subgroups":[4]}}`,
			`realm/update_dict everyone {"property":"default","data":{"can_create_public_channel_group":4,` +
				`"create_public_stream_policy":4}}`},
	} {
		olga.Do("PATCH /realm", c.name, c.value).Is(200, `{"result":"success","msg":""}`)
		s.Events(strings.Split(c.event, "\n")...)
	}
	olga.Do("PATCH /realm", "name", "Stoa", "can_mention_many_users_group", `{"new":7}`, "authentication_methods",
		`{"Email":true}`).OK()
	s.NoEvents() // unchanged
	for _, name := range []string{
		"jitsi_server_url", "message_content_edit_limit_seconds", "message_retention_days", "allow_message_editing",
		"org_type", "can_invite_users_group", "authentication_methods",
	} {
		olga.Do("PATCH /realm", name, "null").Is(200, `{"result":"success","msg":""}`)
	}
	s.NoEvents() // null changes nothing
	olga.Do("PATCH /realm", "invite_required", "false", "can_invite_users_group",
		fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[4]}}`, s.UserID("alice")), "unheard_of", "1").
		Is(200, `{"result":"success","msg":"","ignored_parameters_unsupported":["unheard_of"]}`)
	s.Events(
		fmt.Sprintf(`realm/update_dict everyone {"property":"default",`+
			`"data":{"can_invite_users_group":{"direct_members":[%d],"direct_subgroups":[4]}}}`, s.UserID("alice")),
		`realm/update everyone {"property":"invite_required","value":false}`)
	s.Restart()
	a := section(s.As("alice"))
	for path, want := range map[string]string{
		"realm_name": "Stoa", "realm_invite_required": "false", "realm_message_content_edit_limit_seconds": "60",
		"realm_mandatory_topics":                     "true",
		"realm_message_content_delete_limit_seconds": "<nil>", "realm_can_create_public_channel_group": "4",
		"realm_can_invite_users_group.direct_members.0": fmt.Sprint(s.UserID("alice")),
	} {
		if got := fmt.Sprint(a.Get(path)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestPatchRefusals(t *testing.T) {
	s := start(t)
	many := ""
	for i := range 1001 {
		many += fmt.Sprint(",", i+1)
	}
	for _, c := range []struct{ who, name, value, code, msg string }{
		{"mona", "name", "X", "UNAUTHORIZED_PRINCIPAL", "administrator"},
		{"guest", "name", "X", "UNAUTHORIZED_PRINCIPAL", "administrator"},
		{"adam", "invite_required", "false", "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"adam", "message_retention_days", "30", "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"adam", "waiting_period_threshold", "3", "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"adam", "can_create_groups", `{"new":3}`, "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"olga", "can_create_groups", `{"new":{"direct_members":[` + many[1:] + `]}}`, "BAD_REQUEST",
			"can name at most 1000"},
		{"adam", "authentication_methods", `{"Email":true}`, "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"adam", "string_id", "other", "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"olga", "string_id", "other", "BAD_REQUEST", "demo"},
		{"olga", "authentication_methods", `{"Email":false}`, "BAD_REQUEST", "At least one"},
		{"olga", "authentication_methods", `{"Telepathy":true}`, "BAD_REQUEST", "Telepathy"},
		{"olga", "name", "  ", "BAD_REQUEST", "empty"},
		{"olga", "name", "Sto\na", "BAD_REQUEST", "Invalid characters"},
		{"olga", "message_content_edit_limit_seconds", "0", "BAD_REQUEST", "message_content_edit_limit_seconds"},
		{"olga", "message_content_edit_limit_seconds", "never", "BAD_REQUEST", ""},
		{"olga", "message_content_edit_limit_seconds", "99999999999999", "BAD_REQUEST", ""},
		{"olga", "message_retention_days", "-1", "BAD_REQUEST", ""},
		{"olga", "video_chat_provider", "4", "BAD_REQUEST", "video_chat_provider"},
		{"olga", "org_type", `"x"`, "BAD_REQUEST", "org_type is not an integer"},
		{"olga", "moderation_request_channel_id", "999", "BAD_REQUEST", "Invalid channel"},
		{"olga", "moderation_request_channel_id", "1", "BAD_REQUEST", ""}, // public
		{"adam", "signup_announcements_stream_id", "-5", "BAD_REQUEST", "Invalid channel"},
		{"olga", "can_access_all_users_group", `{"new":{"direct_members":[4],"direct_subgroups":[]}}`,
			"SYSTEM_GROUP_REQUIRED", ""},
		{"olga", "can_access_all_users_group", `{"new":2}`, "BAD_REQUEST", "role:owners"},
		{"olga", "can_manage_all_groups", `{"new":1}`, "BAD_REQUEST", "role:nobody"},
		{"olga", "can_manage_all_groups", `{"new":{}}`, "BAD_REQUEST", "role:nobody"},
		{"olga", "can_invite_users_group", `{"new":7}`, "BAD_REQUEST", "role:everyone"},
		{"olga", "can_invite_users_group", `{"new":8}`, "BAD_REQUEST", "role:internet"},
		{"olga", "can_invite_users_group", `{"new":999}`, "BAD_REQUEST", "Invalid user group"},
		{"olga", "can_invite_users_group", `{"new":{"direct_members":[999]}}`, "BAD_REQUEST", "Invalid user ID"},
		{"olga", "can_invite_users_group", `{"old":6}`, "BAD_REQUEST", "new"},
		{"olga", "can_invite_users_group", `5`, "BAD_REQUEST", ""},
	} {
		s.As(c.who).Do("PATCH /realm", "send_welcome_emails", "false", c.name, c.value).Error(400, c.code, c.msg)
	}
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", `{"new":5,"old":3}`).
		Is(400, `{"result":"error","code":"EXPECTATION_MISMATCH","msg":"*","field_name":"can_invite_users_group"}`)
	s.As("olga").Do("PATCH /realm", "can_create_web_public_channel_group",
		`{"new":{"direct_members":[4],"direct_subgroups":[]}}`).
		Is(400, `{"result":"error","code":"SYSTEM_GROUP_REQUIRED","msg":"*",`+
			`"setting_name":"can_create_web_public_channel_group"}`)
	s.NoEvents() // the harmless setting in the request has not changed either
}
