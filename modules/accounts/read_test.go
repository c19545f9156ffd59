package accounts_test

import (
	"fmt"
	"strings"
	"testing"
)

const aliceRecord = `"user_id":%d,"email":"alice@example.com","delivery_email":"alice@example.com",` +
	`"full_name":"Alice",` +
	`"date_joined":"2026-06-01T12:00+00:00","is_active":true,"is_owner":false,"is_admin":false,"is_guest":false,` +
	`"is_bot":false,` +
	`"role":400,"timezone":"","avatar_version":1,"is_imported_stub":false,"avatar_url":%s`

const aliceAvatar = `"https://secure.gravatar.com/avatar/c160f8cc69a4f0bf2b0362752353d060?d=identicon&version=1"`

func TestGetUser(t *testing.T) {
	s := start(t)
	id := s.UserID("alice")
	null := fmt.Sprintf(`{"result":"success","msg":"","user":{`+aliceRecord+`}}`, id, "null")
	s.As("bob").Do(path(s, "GET /users/%d", "alice")).Is(200, null)
	s.As("bob").Do("GET /users/alice@example.com").Is(200, null)
	s.As("bob").Do("GET /users/ALICE@Example.com").Is(200, null)
	s.As("bob").Do(path(s, "GET /users/user%d@stoa.invalid", "alice")).Is(200, null)
	s.As("bob").Do(path(s, "GET /users/%d", "alice"), "client_gravatar", "false", "include_custom_profile_fields", "true").
		Is(200, fmt.Sprintf(`{"result":"success","msg":"","user":{`+aliceRecord+`,"profile_data":{}}}`, id, aliceAvatar))
	s.As("bob").Do(path(s, "GET /users/%d", "bot")).Is(200, fmt.Sprintf(`{"result":"success","msg":"","user":{"user_id":%d,
		"email":"bot@example.com","delivery_email":"bot@example.com","full_name":"Helper Bot","date_joined":"*",
		"is_active":true,
		"is_owner":false,"is_admin":false,"is_guest":false,"is_bot":true,"bot_type":1,"bot_owner_id":%d,"role":400,
		"timezone":"",
		"avatar_url":null,"avatar_version":1,"is_imported_stub":false}}`, s.UserID("bot"), id))
	for _, missing := range []string{"999", "0", "-1", "nobody@example.com", "user999@stoa.invalid", "alice",
		"99999999999999999999"} {
		s.As("bob").Do("GET /users/"+missing).Error(400, "BAD_REQUEST", "No such user")
	}
	s.Anonymous().Do(path(s, "GET /users/%d", "alice")).Error(401, "UNAUTHORIZED", "")
}

func TestListUsers(t *testing.T) {
	s := start(t)
	all := s.As("guest").Do("GET /users").OK()
	for i, name := range []string{"alice", "bob", "olga", "adam", "mona", "guest", "bot"} {
		if got := all.Int(fmt.Sprintf("members.%d.user_id", i)); got != int64(s.UserID(name)) {
			t.Errorf("member %d is %d, want %s", i, got, name)
		}
	}
	if all.Has("members.7") {
		t.Errorf("more members than users: %s", all.Body)
	}
	ids := fmt.Sprintf("[%d,%d,999,%d]", s.UserID("bob"), s.UserID("alice"), s.UserID("bob"))
	some := s.As("bob").Do("GET /users", "user_ids", ids).OK()
	if !some.Has("members.1") || some.Has("members.2") {
		t.Errorf("want bob and alice: %s", some.Body)
	}
	s.As("bob").Do("GET /users", "user_ids", "7").Error(400, "BAD_REQUEST", "user_ids is not")
	s.As("adam").Do(path(s, "DELETE /users/%d", "bob")).OK()
	if bob := s.As("adam").Do("GET /users").OK(); bob.Get("members.1.is_active") != false {
		t.Errorf("bob is deactivated, but: %s", bob.Body)
	}
}

func TestMe(t *testing.T) {
	s := start(t)
	s.As("alice").Do("GET /users/me").Is(200,
		fmt.Sprintf(`{"result":"success","msg":"",`+aliceRecord+`,"profile_data":{},"max_message_id":-1}`,
			s.UserID("alice"), aliceAvatar))
	s.As("bot").Do("GET /users/me").OK()
}

// A guest who cannot see all users can see bots and users in shared channels. Others are treated like missing users.
func TestRestrictedGuest(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	guest := s.As("guest")
	guest.Do(path(s, "GET /users/%d", "alice")).OK()
	guest.Do(path(s, "GET /users/%d", "bot")).OK()
	guest.Do(path(s, "GET /users/%d", "adam")).Error(400, "BAD_REQUEST", "No such user")
	guest.Do("GET /users/adam@example.com").Error(400, "BAD_REQUEST", "No such user")
	if list := guest.Do("GET /users"); strings.Contains(list.Body, "adam") || !strings.Contains(list.Body, "alice") {
		t.Errorf("the guest's list: %s", list.Body)
	}
	a := guest.Register().Start
	if strings.Contains(a.Body, "adam@") || strings.Contains(a.Body, "Adam") || !strings.Contains(a.Body, "Unknown user") {
		t.Errorf("the guest's realm_users: %s", a.Body)
	}
	a = guest.Register("client_capabilities", `{"notification_settings_null":true,"user_list_incomplete":true}`).Start
	if strings.Contains(a.Body, "Unknown user") {
		t.Errorf("clients that accept an incomplete list get unknown users: %s", a.Body)
	}
}

func TestRegisterSections(t *testing.T) {
	s := start(t)
	a := s.As("olga").Register("fetch_event_types", `["realm_user","user_settings","realm_user_settings_defaults"]`).Start
	for path, want := range map[string]string{
		"user_id": fmt.Sprint(s.UserID("olga")), "email": "olga@example.com", "delivery_email": "olga@example.com",
		"full_name": "Olga",
		"is_owner":  "true", "is_admin": "true", "is_moderator": "true", "is_guest": "false",
		"can_create_web_public_streams": "false",
		"can_invite_others_to_realm":    "true", "avatar_source": "G", "realm_users.0.full_name": "Alice",
		"cross_realm_bots.0.email": "notification-bot@stoa.invalid", "cross_realm_bots.0.is_system_bot": "true",
		"user_settings.color_scheme": "1", "user_settings.timezone": "",
		"user_settings.web_home_view": "inbox", "user_settings.emojiset_choices.0.key": "google",
		"realm_user_settings_defaults.enter_sends": "false",
	} {
		if got := fmt.Sprint(a.Get(path)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	for _, never := range []string{"realm_users.0.is_active", "realm_user_settings_defaults.timezone", "realm_users.7"} {
		if a.Has(never) {
			t.Errorf("there is a key %s", never)
		}
	}
}
