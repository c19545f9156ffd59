package accounts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

func TestChangeSettings(t *testing.T) {
	s := start(t)
	q := s.As("alice").Register("event_types", `["user_settings","realm_user"]`)
	others := s.As("bob").Register("event_types", `["user_settings","realm_user"]`)
	s.As("alice").Do("PATCH /settings", "color_scheme", "2", "web_home_view", "recent", "default_language", "de",
		"enter_sends", "true",
		"twenty_four_hour_time", "false", "no_such_setting", "1").
		Is(200, `{"result":"success","msg":"","ignored_parameters_unsupported":["no_such_setting"]}`)
	same(t, "alice's events", q.Texts(),
		`{"language_name":"Deutsch","op":"update","property":"default_language","type":"user_settings","value":"de"}`,
		`{"op":"update","property":"color_scheme","type":"user_settings","value":2}`,
		`{"op":"update","property":"web_home_view","type":"user_settings","value":"recent"}`,
		`{"op":"update","property":"enter_sends","type":"user_settings","value":true}`)
	same(t, "bob's events", others.Texts())
	s.As("alice").Do("PATCH /settings/display", "color_scheme", "3").OK()
	s.As("alice").Do("PATCH /settings/notifications", "notification_sound", "none").OK()
	s.Restart()
	a := s.As("alice").Register().Start
	for name, want := range map[string]string{"color_scheme": "3", "web_home_view": "recent", "notification_sound": "none",
		"enter_sends": "true"} {
		if got := fmt.Sprint(a.Get("user_settings." + name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestChangeTimezoneAndName(t *testing.T) {
	s := start(t)
	id := s.UserID("alice")
	q := s.As("bob").Register("event_types", `["user_settings","realm_user"]`)
	s.As("alice").Do("PATCH /settings", "timezone", "Europe/Athens", "full_name", "Alicia").OK()
	same(t, "bob's events", q.Texts(),
		fmt.Sprintf(`{"op":"update","person":{"full_name":"Alicia","user_id":%d},"type":"realm_user"}`, id),
		fmt.Sprintf(`{"op":"update","person":{"email":"alice@example.com","timezone":"Europe/Athens","user_id":%d},`+
			`"type":"realm_user"}`, id))
	s.As("olga").Do("PATCH /realm", "name_changes_disabled", "true").OK()
	s.Skip()
	s.As("alice").Do("PATCH /settings", "full_name", "Alice").OK() // no change, so no event
	s.NoEvents()
	s.As("adam").Do("PATCH /settings", "full_name", "Adam II").OK()
	s.Events(fmt.Sprintf(`realm_user/update seeing:adam {"person":{"user_id":%d,"full_name":"Adam II"}}`,
		s.UserID("adam")))
}

func TestSettingsRefusals(t *testing.T) {
	s := start(t)
	for name, value := range map[string]string{
		"color_scheme": "9", "web_home_view": "recent_topics", "default_language": "xx", "timezone": "Mars/Olympus",
		"emojiset":           "x",
		"notification_sound": "gong", "email_address_visibility": "0", "enter_sends": "maybe", "web_font_size_px": `"16"`,
		"full_name": "a@b", "desktop_icon_count_display": "5",
	} {
		s.As("alice").Do("PATCH /settings", "starred_message_counts", "false", name, value).Error(400, "BAD_REQUEST", "")
	}
	// Errors do not echo the value sent.
	for _, name := range []string{"default_language", "notification_sound", "timezone", "full_name"} {
		if a := s.As("alice").Do("PATCH /settings", name, strings.Repeat("x", 100_000)).Error(400, "BAD_REQUEST",
			""); len(a.Body) > 200 {
			t.Errorf("%s: the refusal has %d bytes", name, len(a.Body))
		}
	}
	s.NoEvents()
	s.As("bot").Do("PATCH /settings", "enter_sends", "true").Error(400, "BAD_REQUEST", "bot")
}

func TestChangePassword(t *testing.T) {
	s := start(t)
	login := func(password string) *kittest.Response {
		return s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", password)
	}
	set := func(old, fresh string) *kittest.Response {
		return s.As("alice").Do("PATCH /settings", "old_password", old, "new_password", fresh)
	}
	set("wrong", "a new password").Error(400, "BAD_REQUEST", "Wrong password")
	s.As("alice").Do("PATCH /settings", "new_password", "a new password").Error(400, "BAD_REQUEST", "Wrong password")
	set(kittest.Password, "seven77").Error(400, "BAD_REQUEST", "The password must have at least 8 characters.")
	set(kittest.Password, strings.Repeat("ab", 60)).Error(400, "BAD_REQUEST", "too long")
	login(kittest.Password).OK()
	set(kittest.Password, "a new password").OK()
	login(kittest.Password).Error(401, "AUTHENTICATION_FAILED", "")
	login("a new password").OK()
}

// TestHiddenEmail checks that a hidden address is not revealed to users who cannot see it: in lists, records,
// /register, events, or as the hash in the avatar URL. Users who can no longer see it are notified.
func TestHiddenEmail(t *testing.T) {
	s := start(t)
	id := s.UserID("alice")
	made := fmt.Sprintf("user%d@stoa.invalid", id)
	bob := s.As("bob").Register("event_types", `["realm_user"]`)
	adam := s.As("adam").Register("event_types", `["realm_user"]`)
	s.As("alice").Do("PATCH /settings", "email_address_visibility", "3").OK()

	got := bob.Texts()
	if len(got) != 3 || !strings.Contains(got[0], `"delivery_email":null`) ||
		!strings.Contains(got[1], `"new_email":"`+made+`"`) ||
		!strings.Contains(got[2], `"avatar_url":"https://secure.gravatar.com/avatar/`) {
		t.Errorf("bob received %v", got)
	}
	if got := strings.Join(adam.Texts(), ""); strings.Contains(got, "delivery_email") {
		t.Errorf("nothing changed for adam, but he received %s", got)
	}
	const hash = "c160f8cc69a4f0bf2b0362752353d060" // MD5 of the address
	secret := func(what, body string) {
		t.Helper()
		if strings.Contains(strings.ToLower(body), "alice@example.com") || strings.Contains(body, hash) {
			t.Errorf("%s reveals the address: %s", what, body)
		}
		if !strings.Contains(body, made) {
			t.Errorf("%s lacks the placeholder address: %s", what, body)
		}
	}
	for _, who := range []string{"bob", "mona", "guest", "bot"} {
		secret(who+"'s list", s.As(who).Do("GET /users").Body)
		secret(who+"'s record", s.As(who).Do(path(s, "GET /users/%d", "alice"), "client_gravatar", "false").Body)
		a := s.As(who).Register("fetch_event_types", `["realm_user"]`).Start
		secret(who+"'s register", a.Body)
		s.As(who).Do("GET /users/alice@example.com").Error(400, "BAD_REQUEST", "No such user")
		s.As(who).Do("GET /users/" + made).OK()
	}
	for _, who := range []string{"adam", "olga"} {
		a := s.As(who).Do("GET /users/alice@example.com").OK()
		if a.String("user.delivery_email") != "alice@example.com" || a.String("user.email") != made {
			t.Errorf("%s sees %s", who, a.Body)
		}
	}
	if me := s.As("alice").Do("GET /users/me"); me.String("delivery_email") != "alice@example.com" ||
		me.String("email") != made {
		t.Errorf("alice sees %s", me.Body)
	}
	bob.Texts()
	s.As("alice").Do("PATCH /settings", "full_name", "Alicia", "timezone", "UTC").OK()
	secret("a later event", strings.Join(bob.Texts(), ""))

	s.As("alice").Do("PATCH /settings", "email_address_visibility", "2").OK()
	if got := bob.Texts(); len(got) != 1 || !strings.Contains(got[0], `"delivery_email":"alice@example.com"`) {
		t.Errorf("bob can see the address again, and received %v", got)
	}
	secret("the guest's list", s.As("guest").Do("GET /users").Body)
}

// The event about a new user does not contain an address that has been hidden since.
func TestHiddenEmailOfNewUser(t *testing.T) {
	s := start(t)
	admin := s.As("adam").Register("event_types", `["realm_user"]`)
	id := s.As("olga").Do("POST /users", "email", "new@example.com", "full_name", "New", "password",
		"qh7wolves").Int("user_id")
	key := s.Anonymous().Do("POST /fetch_api_key", "username", "new@example.com", "password",
		"qh7wolves").String("api_key")
	s.WithKey("new@example.com", key).Do("PATCH /settings", "email_address_visibility", "4").OK()
	got := strings.Join(admin.Texts(), "\n")
	if add := strings.SplitN(got, "\n", 2)[0]; strings.Contains(add, "new@example.com") {
		t.Errorf("a slow queue received an address that has been hidden since: %s", add)
	}
	if !strings.Contains(got, fmt.Sprintf(`"new_email":"user%d@stoa.invalid"`, id)) ||
		!strings.Contains(got, `"delivery_email":null`) {
		t.Errorf("the administrator received %s", got)
	}
}

// Whether an event hides an address from the owner of a slow queue depends on the owner's role at the time of the
// event. Events about later roles are computed relative to that state.
func TestHiddenEmailBeforeAnotherRole(t *testing.T) {
	s := start(t)
	id := s.UserID("alice")
	s.As("alice").Do("PATCH /settings", "email_address_visibility", "3").OK()
	adam := s.As("adam").Register("event_types", `["realm_user"]`)
	bob := s.As("bob").Register("event_types", `["realm_user"]`)
	s.As("alice").Do("PATCH /settings", "email_address_visibility", "4").OK() // hidden from adam
	s.As("olga").Do(path(s, "PATCH /users/%d", "adam"), "role", "400").OK()   // this hides nothing more from adam
	s.As("olga").Do(path(s, "PATCH /users/%d", "bob"), "role", "200").OK()    // this shows bob nothing more
	s.As("olga").Do(path(s, "PATCH /users/%d", "bob"), "role", "400").OK()

	hidden := fmt.Sprintf(`"person":{"delivery_email":null,"user_id":%d}`, id)
	if got := strings.Join(adam.Texts(), "\n"); strings.Count(got, hidden) != 1 {
		t.Errorf("adam, who saw the address as an administrator, received %s", got)
	}
	if got := strings.Join(bob.Texts(), "\n"); strings.Contains(got, hidden) ||
		strings.Contains(got, "alice@example.com") {
		t.Errorf("bob, who never saw the address, received %s", got)
	}
}

// An API key does not allow guessing the password faster than without one, and guessing does not prevent the user from
// logging in.
func TestOldPasswordIsNotGuessed(t *testing.T) {
	const config = "http: {rate_limits: {enabled: true}}\nmodules: {accounts: {password_memory_kib: 64, " +
		"password_passes: 1}}"
	s := kittest.StartWith(t, kittest.Options{Config: config}, realm.Module, accounts.Module, channels.Module,
		events.Module)
	set := func(old, fresh string) *kittest.Response {
		return s.As("alice").Do("PATCH /settings", "old_password", old, "new_password", fresh)
	}
	for range 9 { // a correct password is not counted, even if the request fails
		set(kittest.Password, "seven77").Error(400, "BAD_REQUEST", "The password must have at least 8 characters.")
	}
	for range 5 {
		set("wrong", "a new password").Error(400, "BAD_REQUEST", "Wrong password")
	}
	set(kittest.Password, "a new password").Error(429, "RATE_LIMIT_HIT", "")
	s.As("alice").Do("PATCH /settings", "enter_sends", "true").OK()
	s.As("bob").Do("PATCH /settings", "old_password", kittest.Password, "new_password", "a new password").OK()
	s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", kittest.Password).OK()
	s.Clock.Advance(30 * time.Minute)
	set(kittest.Password, "a new password").OK()
}
