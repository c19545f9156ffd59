package accounts_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/avatars"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	imagestore "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/profilefields"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/status"
)

// startProfiles starts a server with all profile features. alice has set all of them.
func startProfiles(t *testing.T, databaseURL string) (s *kittest.Server, field int64, picture string) {
	t.Helper()
	s = kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}",
		DatabaseURL: databaseURL},
		realm.Module, accounts.Module, channels.Module, events.Module, avatars.Module, imagestore.Module, disk.Module,
		images.Module,
		profilefields.Module, status.Module)
	field = s.As("adam").Do("POST /realm/profile_fields", "field_type", "1", "name", "Pronouns").OK().Int("id")
	alice := s.As("alice")
	picture, _, _ = strings.Cut(alice.Upload("POST /users/me/avatar", "me.png",
		kittest.PNG(20, 20)).OK().String("avatar_url"), "?")
	alice.Do("PATCH /users/me/profile_data", "data", fmt.Sprintf(`[{"id":%d,"value":"she"}]`, field)).OK()
	alice.Do("POST /users/me/status", "status_text", "here", "emoji_name", "heart").OK()
	alice.Do("PATCH /settings", "timezone", "Europe/Rome").OK()
	s.Skip()
	return s, field, picture
}

const deleteProfile = `{"delete_profile": true}`

// Deleting a profile leaves only the account itself. Everyone who can see the user is notified of each change.
func TestDeleteProfile(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, databaseURL string) {
		s, field, picture := startProfiles(t, databaseURL)
		alice, bot := s.UserID("alice"), s.UserID("bot")
		listens := []string{"event_types", `["realm_user","user_status"]`, "client_gravatar", "false"}
		bob := s.As("bob").Register(listens...)
		adam := s.As("adam").Register(listens...)
		// The request uses the query string and sets only the documented parameters.
		s.As("adam").Do(fmt.Sprintf("DELETE /users/%d?actions=%s", alice, url.QueryEscape(deleteProfile))).Is(200,
			`{"result":"success","msg":""}`)

		of := func(who string) map[string]any {
			t.Helper()
			return s.As(who).Do(path(s, "GET /users/%d", "alice"), "client_gravatar", "false", "include_custom_profile_fields",
				"true").OK().Get("user").(map[string]any)
		}
		forBob, forAdam := of("bob"), of("adam")
		for key, want := range map[string]any{
			"full_name": "Deleted user", "is_active": false, "timezone": "", "delivery_email": nil, "role": 400,
			"avatar_version": 3,
		} {
			if got := kittest.JSON(forBob[key]); got != kittest.JSON(want) {
				t.Errorf("bob sees %s %s, want %v", key, got, want)
			}
		}
		if forAdam["delivery_email"] != "alice@example.com" || kittest.JSON(forBob["profile_data"]) != "{}" ||
			strings.Contains(fmt.Sprint(forBob), "alice@") {
			t.Errorf("adam sees %v, bob %v", forAdam, forBob)
		}
		address := fmt.Sprint(forBob["email"])
		gone := func(id any, change string) string {
			return fmt.Sprintf(`{"op":"update","person":{%s,"user_id":%v},"type":"realm_user"}`, change, id)
		}
		avatar := gone(alice, fmt.Sprintf(`"avatar_source":"G","avatar_url":%s,"avatar_url_medium":%s,"avatar_version":3`,
			kittest.JSON(forBob["avatar_url"]), kittest.JSON(fmt.Sprint(forBob["avatar_url"])+"&s=500")))
		want := []string{
			gone(bot, `"full_name":"Deleted user"`), gone(bot, `"is_active":false`),
			gone(alice, `"full_name":"Deleted user"`),
			fmt.Sprintf(`{"op":"update","person":{"email":%q,"timezone":"","user_id":%d},"type":"realm_user"}`, address, alice),
			gone(alice, `"delivery_email":null`), gone(alice, fmt.Sprintf(`"new_email":%q`, address)), avatar,
			gone(alice, fmt.Sprintf(`"custom_profile_field":{"id":%d,"value":null}`, field)),
			fmt.Sprintf(`{"emoji_code":"","emoji_name":"","reaction_type":"","status_text":"","type":"user_status",`+
				`"user_id":%d}`, alice),
			gone(alice, `"is_active":false`),
		}
		same(t, "bob's events", bob.Texts(), want...)
		same(t, "adam's events", adam.Texts(), append(append([]string{}, want[:4]...), want[5:]...)...)

		a := s.As("bob").Register("fetch_event_types", `["realm_user","user_status"]`, "client_gravatar", "false").Start
		if a.Has(fmt.Sprintf("user_status.%d", alice)) {
			t.Error("register contains a status")
		}
		left := map[string]any{}
		for _, one := range a.Get("realm_non_active_users").([]any) {
			if u := one.(map[string]any); fmt.Sprint(u["user_id"]) == fmt.Sprint(alice) {
				left = u
			}
		}
		for _, key := range []string{"full_name", "email", "avatar_url", "avatar_version", "timezone", "profile_data"} {
			if kittest.JSON(left[key]) != kittest.JSON(forBob[key]) {
				t.Errorf("register has %s for %s, GET /users %s", kittest.JSON(left[key]), key, kittest.JSON(forBob[key]))
			}
		}
		s.Clock.Advance(24 * time.Hour)
		s.RunJob("images.remove unused")
		if got := s.Anonymous().Under("").Do("GET " + picture).Status; got != 404 {
			t.Errorf("the avatar still exists: %d", got)
		}

		// A reactivated user starts with an empty profile and can fill it in again.
		s.As("adam").Do(path(s, "POST /users/%d/reactivate", "alice")).OK()
		s.LogIn("alice")
		s.As("alice").Do("PATCH /settings", "full_name", "Alice again").OK()
		if got := of("bob"); got["full_name"] != "Alice again" || got["timezone"] != "" {
			t.Errorf("after the reactivation: %v", got)
		}
	})
}

// When a user's profile is deleted, those of their deactivated bots are, too. Other users keep theirs, and nothing is
// deleted without the action delete_profile.
func TestDeleteProfileOfBots(t *testing.T) {
	s, field, _ := startProfiles(t, kittest.DatabaseURL(t))
	name := func(who string) string {
		t.Helper()
		return s.As("adam").Do(path(s, "GET /users/%d", who)).OK().String("user.full_name")
	}
	s.As("alice").Do(path(s, "DELETE /users/%d", "bot"), "actions", "{}").OK()
	s.As("adam").Do(path(s, "DELETE /users/%d", "bob"), "actions",
		`{"delete_profile":false,"delete_direct_messages":true}`).OK()
	if name("bot") == "Deleted user" || name("bob") != "Bob" {
		t.Errorf("deleted without a request: %s, %s", name("bot"), name("bob"))
	}
	s.Skip()
	s.As("adam").Do(path(s, "DELETE /users/%d", "alice"), "actions", deleteProfile).OK()
	if name("bot") != "Deleted user" || name("alice") != "Deleted user" || name("mona") != "Mona" {
		t.Errorf("%s, %s, %s", name("bot"), name("alice"), name("mona"))
	}
	s.EventsOf("realm_user",
		fmt.Sprintf(`realm_user/update seeing:bot {"person":{"full_name":"Deleted user","user_id":%d}}`, s.UserID("bot")),
		fmt.Sprintf(`realm_user/update seeing:alice {"person":{"full_name":"Deleted user","user_id":%d}}`, s.UserID("alice")),
		fmt.Sprintf(`realm_user/update seeing:alice {"person":{"user_id":%d,"timezone":"","email":"*"}}`, s.UserID("alice")),
		`realm_user/update seeing:alice`, `realm_user/update seeing:alice`, `realm_user/update seeing:alice`,
		fmt.Sprintf(`realm_user/update seeing:alice {"person":{"user_id":%d,"custom_profile_field":{"id":%d,"value":null}}}`,
			s.UserID("alice"), field),
		fmt.Sprintf(`realm_user/update seeing:alice {"person":{"user_id":%d,"is_active":false}}`, s.UserID("alice")))
}

// The profile of a deactivated user and of their bots can be deleted later, and the request can be repeated.
func TestDeleteProfileOfDeactivated(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, databaseURL string) {
		s, field, _ := startProfiles(t, databaseURL)
		alice, bot := s.UserID("alice"), s.UserID("bot")
		remove := func(who string, params ...string) *kittest.Response {
			t.Helper()
			return s.As(who).Do(path(s, "DELETE /users/%d", "alice"), params...)
		}
		remove("adam").OK()
		s.Skip()
		for _, actions := range []string{"{}", `{"delete_profile":false}`} {
			remove("adam", "actions", actions).Error(400, "BAD_REQUEST", "User is deactivated")
		}
		remove("mona", "actions", deleteProfile).Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
		s.NoEvents()
		bob := s.As("bob").Register("event_types", `["realm_user","user_status"]`)
		remove("adam", "actions", deleteProfile, "deactivation_notification_comment", "").Is(200,
			`{"result":"success","msg":""}`)
		a := s.As("bob").Register("fetch_event_types", `["realm_user","user_status"]`).Start
		for _, one := range a.Get("realm_non_active_users").([]any) {
			switch u := one.(map[string]any); fmt.Sprint(u["user_id"]) {
			case fmt.Sprint(alice), fmt.Sprint(bot):
				if u["full_name"] != "Deleted user" || u["timezone"] != "" {
					t.Errorf("register contains %v", u)
				}
			}
		}
		if a.Has(fmt.Sprintf("user_status.%d", alice)) {
			t.Error("register contains a status")
		}
		received := strings.Join(bob.Texts(), "\n")
		for _, want := range []string{
			fmt.Sprintf(`{"full_name":"Deleted user","user_id":%d}`, bot),
			fmt.Sprintf(`{"full_name":"Deleted user","user_id":%d}`, alice),
			`"timezone":""`, `"delivery_email":null`, `"avatar_source":"G"`,
			fmt.Sprintf(`"custom_profile_field":{"id":%d,"value":null}`, field), `"status_text":""`,
		} {
			if !strings.Contains(received, want) {
				t.Errorf("bob did not receive %s, but\n%s", want, received)
			}
		}
		if strings.Contains(received, "is_active") {
			t.Errorf("bob received a deactivation:\n%s", received)
		}
		s.Skip()
		remove("adam", "actions", deleteProfile).OK()
		s.EventsOf("realm_user")
		s.As("adam").Do(path(s, "POST /users/%d/reactivate", "alice")).OK()
		if u := s.As("bob").Do(path(s, "GET /users/%d", "alice")).OK(); u.String("user.full_name") != "Deleted user" ||
			u.Get("user.is_active") != true {
			t.Errorf("after the reactivation: %v", u.Get("user"))
		}
	})
}

// Only owners can delete the data of former owners.
func TestDeleteProfileOfFormerOwner(t *testing.T) {
	s := start(t)
	s.As("olga").Do(path(s, "PATCH /users/%d", "mona"), "role", "100").OK()
	s.As("olga").Do(path(s, "DELETE /users/%d", "mona")).OK()
	s.As("adam").Do(path(s, "DELETE /users/%d", "mona"), "actions", deleteProfile).Error(400, "UNAUTHORIZED_PRINCIPAL",
		"Must be an organization owner")
	s.As("olga").Do(path(s, "DELETE /users/%d", "mona"), "actions", deleteProfile).OK()
	if u := s.As("olga").Do(path(s, "GET /users/%d", "mona")).OK(); u.String("user.full_name") != "Deleted user" {
		t.Errorf("%v", u.Get("user"))
	}
}

// Guests who cannot see the user receive no events.
func TestDeleteProfileOfInvisibleUser(t *testing.T) {
	s, _, _ := startProfiles(t, kittest.DatabaseURL(t))
	s.As("mona").Do("POST /users/me/status", "status_text", "here").OK()
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	guest := s.As("guest").Register("event_types", `["realm_user","user_status"]`)
	bob := s.As("bob").Register("event_types", `["realm_user","user_status"]`)
	s.As("adam").Do(path(s, "DELETE /users/%d", "mona"), "actions", deleteProfile).OK()
	same(t, "the guest's events", guest.Texts())
	if got := bob.Texts(); len(got) < 4 {
		t.Errorf("bob's events: %v", got)
	}
}

func TestDeletionRefusals(t *testing.T) {
	s := start(t)
	const all = "valid keys are delete_direct_messages, delete_private_channel_messages, " +
		"delete_profile, delete_public_channel_messages"
	for _, c := range []struct{ who, whom, param, value, code, msg string }{
		{"adam", "bob", "actions", `{"delete_profile":true,"delete_everything":true}`, "BAD_REQUEST",
			`actions has an unknown key "delete_everything"; ` + all},
		{"adam", "bob", "actions", `{"delete_profile":"yes"}`, "BAD_REQUEST", `actions["delete_profile"] is not a boolean`},
		{"adam", "bob", "actions", `["delete_profile"]`, "BAD_REQUEST", `actions is not a dict`},
		{"adam", "bob", "actions", `delete_profile`, "BAD_REQUEST", `not valid JSON`},
		{"adam", "bob", "deactivation_notification_comment", strings.Repeat("ä", 2001), "BAD_REQUEST",
			"deactivation_notification_comment is too long (limit: 2000 characters)"},
		{"mona", "bob", "actions", deleteProfile, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"},
		{"alice", "bot", "actions", `{"delete_public_channel_messages":true}`, "UNAUTHORIZED_PRINCIPAL",
			"Must be an organization administrator"},
		{"alice", "alice", "actions", deleteProfile, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"},
		{"adam", "olga", "actions", deleteProfile, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner"},
		{"olga", "olga", "actions", deleteProfile, "BAD_REQUEST", "only organization owner"},
		{"guest", "bob", "actions", deleteProfile, "BAD_REQUEST", "guest"},
	} {
		s.As(c.who).Do(path(s, "DELETE /users/%d", c.whom), c.param, c.value).Error(400, c.code, c.msg)
	}
	s.As("adam").Do("DELETE /users/999", "actions", deleteProfile).Error(400, "BAD_REQUEST", "No such user")
	s.NoEvents()
	for _, name := range []string{"alice", "bob", "bot", "olga"} {
		if u := s.As("adam").Do(path(s, "GET /users/%d", name)).OK(); u.String("user.full_name") == "Deleted user" ||
			u.Get("user.is_active") != true {
			t.Errorf("%s: %v", name, u.Get("user"))
		}
	}
}
