package realm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/emoji"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) { kittest.Check(t, realm.Module) }

func start(t *testing.T) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {password_memory_kib: 64, password_passes: " +
		"1}}"},
		realm.Module, accounts.Module, channels.Module, events.Module)
}

func section(c *kittest.Client) *kittest.Response {
	return c.Do("POST /register", "fetch_event_types", `["realm"]`).OK()
}

func TestSection(t *testing.T) {
	s := start(t)
	a := section(s.As("alice"))
	for path, want := range map[string]string{
		"realm_name": "Stoics", "realm_url": s.URL, "realm_uri": s.URL, "realm_description": "",
		"realm_invite_required":                    "true",
		"realm_message_content_edit_limit_seconds": "600", "realm_message_retention_days": "-1",
		"realm_topics_policy":    "allow_empty_topic",
		"realm_mandatory_topics": "false", "realm_allow_edit_history": "true", "realm_jitsi_server_url": "<nil>",
		"jitsi_server_url": "https://meet.jit.si", "realm_gif_rating_policy": "2", "realm_giphy_rating": "2",
		"realm_upload_quota_mib":        "<nil>",
		"realm_wildcard_mention_policy": "5", "realm_create_public_stream_policy": "1",
		"realm_create_private_stream_policy":    "1",
		"realm_create_web_public_stream_policy": "7", "realm_moderation_request_channel_id": "-1",
		"realm_email_auth_enabled":                     "true",
		"realm_service_update_announcements_stream_id": "-1", "realm_authentication_methods.Email.enabled": "true",
		"realm_can_invite_users_group": "6", "realm_can_delete_any_message_group": "3",
		"realm_direct_message_permission_group":              "7",
		"realm_empty_topic_display_name":                     "general chat",
		"realm_default_external_accounts.github.url_pattern": "https://github.com/%(username)s",
		"max_topic_length":                                   "60", "max_reminder_note_length": "500",
		"service_plan_is_not_limited":          "true",
		"event_queue_longpoll_timeout_seconds": "90", "server_thumbnail_formats.1.name": "840x560.webp",
		"server_report_message_types.4.key":     "other",
		"gif_rating_policy_options.disabled.id": "0",
		"server_supported_permission_settings.stream.can_administer_channel_group.default_group_name":            "channel_creator",
		"server_supported_permission_settings.group.can_manage_group.default_group_name":                         "group_creator",
		"server_supported_permission_settings.group.can_leave_group.default_for_system_groups":                   "role:nobody",
		"server_supported_permission_settings.realm.can_access_all_users_group.allowed_system_groups.1":          "role:members",
		"server_supported_permission_settings.realm.can_access_all_users_group.require_system_group":             "true",
		"server_supported_permission_settings.realm.can_create_web_public_channel_group.allowed_system_groups.3": "role:nobody",
		"server_supported_permission_settings.realm.can_invite_users_group.allow_everyone_group":                 "false",
		"server_supported_permission_settings.realm.direct_message_permission_group.default_for_system_groups":   "<nil>",
	} {
		if got := fmt.Sprint(a.Get(path)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	for _, never := range []string{"realm_groups", "realm_password_auth", "realm_UUID"} {
		if a.Has(never) {
			t.Errorf("%s is not a key of the API", never)
		}
	}
}

func TestEmojiData(t *testing.T) {
	s := start(t)
	url := section(s.As("alice")).String("server_emoji_data_url")
	res, err := s.Client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var data struct {
		Names map[string][]string `json:"code_to_names"`
	}
	body, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(body, &data)
	}
	if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s: %v", res.StatusCode, res.Header.Get("Content-Type"), err)
	}
	if len(data.Names) < 1800 {
		t.Errorf("only %d emoji", len(data.Names))
	}
	known := emoji.New()
	for code, names := range data.Names { // the renderer uses the same names and shows the first
		for i, name := range names {
			if got, _ := known.Code(name); got != code {
				t.Errorf("%s has the name %s, which the renderer reads as another: %s", code, name, got)
			}
			if shown, _ := known.Name(code); i == 0 && shown != name {
				t.Errorf("%s has the name %s, but is shown as %s", code, name, shown)
			}
		}
	}
	for _, path := range []string{"/static/stoa/icon.svg", "/static/stoa/"} {
		want := http.StatusOK
		if strings.HasSuffix(path, "/") {
			want = http.StatusNotFound
		}
		if got := s.Anonymous().Under("").Do("GET " + path).Status; got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// If no video call server is configured, clients get null. A realm can still set its own.
func TestNoVideoServer(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: `modules: {realm: {jitsi_url: ""}}`}, realm.Module, events.Module)
	a := section(s.As("alice"))
	if got := fmt.Sprint(a.Get("server_jitsi_server_url"), a.Get("jitsi_server_url")); got != "<nil> <nil>" {
		t.Errorf("there is %s", got)
	}
	s.As("adam").Do("PATCH /realm", "jitsi_server_url", "https://meet.example.com").OK()
	a = section(s.As("alice"))
	if got := fmt.Sprint(a.Get("server_jitsi_server_url"), " ",
		a.Get("jitsi_server_url")); got != "<nil> https://meet.example.com" {
		t.Errorf("there is %s", got)
	}
}
