package status_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/status"
	"github.com/stoachat/stoa/modules/zulipnames"
)

func TestModule(t *testing.T) { kittest.Check(t, status.Module, accounts.Module, realm.Module) }

func start(t *testing.T, url string, more ...kit.Module) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{
		Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}", DatabaseURL: url,
	}, append(more, realm.Module, accounts.Module, channels.Module, events.Module, status.Module)...)
}

func statusCall(s *kittest.Server, method, who string) string {
	return fmt.Sprintf("%s /users/%d/status", method, s.UserID(who))
}

// expectStatus checks the status that reader gets for the user who, from GET and /register.
func expectStatus(s *kittest.Server, reader, who, want string) {
	s.T.Helper()
	s.As(reader).Do(statusCall(s, "GET", who)).Is(200, `{"result":"success","msg":"","status":`+want+`}`)
	a := s.As(reader).Do("POST /register", "event_types", `["user_status"]`, "fetch_event_types", `["user_status"]`).OK()
	there := "{}"
	if key := fmt.Sprintf("user_status.%d", s.UserID(who)); a.Has(key) {
		there = kittest.JSON(a.Get(key))
		if there == "{}" {
			s.T.Errorf("register contains %s, who has no status", who)
		}
	}
	a.Body = there
	a.Is(200, want)
}

const smile = `"emoji_code":"1f642","emoji_name":"smile","reaction_type":"unicode_emoji"`

func TestSetStatus(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		alice, id := s.As("alice"), s.UserID("alice")
		mine, guest, bot := alice.Register("event_types", `["user_status"]`),
			s.As("guest").Register("event_types", `["user_status"]`), s.As("bot").Register("event_types", `["user_status"]`)
		other := s.As("bob").Register("event_types", `["message"]`)
		expectEvent := func(fields string) {
			t.Helper()
			for _, q := range []*kittest.Queue{mine, guest, bot} {
				q.Is(fmt.Sprintf(`{%s"type":"user_status","user_id":%d}`, fields, id))
			}
			other.Is()
		}
		expectStatus(s, "guest", "alice", `{}`)
		alice.Do("POST /users/me/status", "status_text", "  on the road ", "emoji_name", "smile").Is(200,
			`{"result":"success","msg":""}`)
		s.Events(fmt.Sprintf(`user_status seeing:alice {"changed":{"user_id":%d,"status_text":"on the road",%s}}`, id, smile))
		expectEvent(smile + `,"status_text":"on the road",`)
		for _, reader := range []string{"alice", "guest", "bot"} {
			expectStatus(s, reader, "alice", `{"status_text":"on the road",`+smile+`}`)
		}

		// Events contain only changed properties. The three properties of the emoji are always sent together.
		alice.Do("POST /users/me/status", "status_text", "at home", "emoji_name", "smile").OK()
		expectEvent(`"status_text":"at home",`)
		alice.Do("POST /users/me/status", "emoji_name", "car", "emoji_code", "1f697", "reaction_type", "unicode_emoji").OK()
		expectEvent(`"emoji_code":"1f697","emoji_name":"car","reaction_type":"unicode_emoji",`)
		s.Skip()
		alice.Do("POST /users/me/status", "status_text", "at home", "emoji_name", "car").OK()
		s.NoEvents()
		s.Clock.Advance(365 * 24 * time.Hour) // a status does not expire
		s.Restart()
		expectStatus(s, "bob", "alice", `{"status_text":"at home","emoji_name":"car","emoji_code":"1f697",`+
			`"reaction_type":"unicode_emoji"}`)
		mine, guest, bot, other = alice.Register("event_types", `["user_status"]`),
			s.As("guest").Register("event_types", `["user_status"]`), s.As("bot").Register("event_types", `["user_status"]`),
			s.As("bob").Register("event_types", `["message"]`)
		alice.Do("POST /users/me/status", "emoji_name", "").OK()
		expectEvent(`"emoji_code":"","emoji_name":"","reaction_type":"",`)
		expectStatus(s, "bob", "alice", `{"status_text":"at home"}`)
		alice.Do("POST /users/me/status", "status_text", "").OK()
		expectEvent(`"status_text":"",`)
		expectStatus(s, "bob", "alice", `{}`)
		s.As("guest").Do("POST /users/me/status", "status_text", "visiting").OK()
		expectStatus(s, "bob", "guest", `{"status_text":"visiting"}`)
		expectStatus(s, "bob", "bot", `{}`)
	})
}

// customs adds two custom emoji: party with ID 7, and old with ID 8, which is deactivated.
var customs = kit.Define("customs", "Emoji of a realm.", kit.None{},
	func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		load := func(_ context.Context, _ ids.Realm, b *directory.Builder) error {
			emoji.Shared.Put(b, emoji.NewIndex(
				&emoji.Custom{ID: 7, Name: "party"}, &emoji.Custom{ID: 8, Name: "old", Deactivated: true},
			))
			return nil
		}
		return kit.Parts{Directory: []directory.Part{{Name: "customs", Load: load}}}, nil
	})

func TestEmojiOfTheRealm(t *testing.T) {
	s := start(t, "", customs)
	party := `{"emoji_name":"party","emoji_code":"7","reaction_type":"realm_emoji"}`
	s.As("alice").Do("POST /users/me/status", "emoji_name", "party").OK()
	expectStatus(s, "bob", "alice", party)
	for _, params := range [][]string{{"emoji_name", "old"},
		{"emoji_name", "old", "emoji_code", "8", "reaction_type", "realm_emoji"},
		{"emoji_name", "smile", "emoji_code", "7", "reaction_type", "realm_emoji"}} {
		s.As("alice").Do("POST /users/me/status", params...).Error(400, "BAD_REQUEST", "")
	}
	expectStatus(s, "bob", "alice", party)
	s.As("alice").Do("POST /users/me/status", "emoji_name", "smile", "reaction_type", "unicode_emoji").OK()
	s.As("adam").Do(statusCall(s, "POST", "alice"), "emoji_name", "party", "emoji_code", "7").OK()
	expectStatus(s, "bob", "alice", party)
}

func TestRefusals(t *testing.T) {
	s := start(t, "")
	s.As("alice").Do("POST /users/me/status", "status_text", "before", "emoji_name", "smile").OK()
	s.Skip()
	for _, c := range []struct {
		want   string
		params []string
	}{
		{"Client did not pass any new values.", nil},
		{"Client did not pass any new values.", []string{"emoji_code", "1f697"}},
		{"must pass emoji_name", []string{"status_text", "x", "emoji_code", "1f697"}},
		{"must pass emoji_name", []string{"status_text", "x", "reaction_type", "unicode_emoji"}},
		{"status_text is too long (limit: 60 characters)", []string{"status_text", strings.Repeat("ä", 61)}},
		{"Invalid character in status_text.", []string{"status_text", "a\x00b"}},
		{"Emoji 'nothing_like_it' does not exist", []string{"status_text", "x", "emoji_name", "nothing_like_it"}},
		{"Invalid emoji name.", []string{"emoji_name", "smile", "emoji_code", "1f697", "reaction_type", "unicode_emoji"}},
		{"Invalid emoji code.", []string{"emoji_name", "smile", "emoji_code", "zz", "reaction_type", "unicode_emoji"}},
		{"Invalid custom emoji.", []string{"emoji_name", "smile", "emoji_code", "1", "reaction_type", "realm_emoji"}},
		{"Invalid emoji type.", []string{"emoji_name", "smile", "emoji_code", "1f642", "reaction_type", "x"}},
		{"", []string{"status_text", "x", "away", "perhaps"}},
		{"", []string{"emoji_name", "nothing_like_it", "away", "true"}},
	} {
		s.As("alice").Do("POST /users/me/status", c.params...).Error(400, "BAD_REQUEST", c.want)
		if c.want != "" && (len(c.params) == 0 || c.params[len(c.params)-2] != "away") {
			s.As("adam").Do(statusCall(s, "POST", "alice"), c.params...).Error(400, "BAD_REQUEST", c.want)
		}
	}
	s.As("bot").Do("POST /users/me/status", "status_text", "x").Error(400, "BAD_REQUEST",
		"This endpoint does not accept bot requests.")
	s.Anonymous().Do("POST /users/me/status", "status_text", "x").Error(401, "UNAUTHORIZED", "")
	s.Anonymous().Do(statusCall(s, "GET", "alice")).Error(401, "UNAUTHORIZED", "")
	s.As("bob").Do("GET /users/99999/status").Error(400, "BAD_REQUEST", "No such user")
	s.NoEvents()
	expectStatus(s, "bob", "alice", `{"status_text":"before",`+smile+`}`)
}

func TestAdministratorsSetForOthers(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		q := s.As("bob").Register("event_types", `["user_status"]`)
		s.As("adam").Do(statusCall(s, "POST", "alice"), "status_text", "ill", "emoji_name", "smile").Is(200,
			`{"result":"success","msg":""}`)
		q.Is(fmt.Sprintf(`{%s,"status_text":"ill","type":"user_status","user_id":%d}`, smile, s.UserID("alice")))
		s.As("adam").Do(statusCall(s, "POST", "adam"), "status_text", "too").OK()
		s.As("alice").Do("POST /users/me/status", "emoji_name", "").OK()
		expectStatus(s, "bob", "alice", `{"status_text":"ill"}`)
		expectStatus(s, "bob", "adam", `{"status_text":"too"}`)
		s.Skip()
		for _, who := range []string{"alice", "bob", "mona", "guest", "bot"} {
			s.As(who).Do(statusCall(s, "POST", "alice"), "status_text", "x").Error(400, "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization administrator")
		}
		// The legacy parameter applies only to the caller's own status and is not accepted here.
		s.As("adam").Do(statusCall(s, "POST", "alice"), "status_text", "ill", "away", "true").
			Is(200, `{"result":"success","msg":"","ignored_parameters_unsupported":["away"]}`)
		s.As("adam").Do(statusCall(s, "POST", "alice"), "away", "true").Error(400, "BAD_REQUEST",
			"Client did not pass any new values.")
		s.As("adam").Do(statusCall(s, "POST", "bot"), "status_text", "x").Error(400, "BAD_REQUEST", "Bots have no status.")
		s.As("adam").Do("POST /users/99999/status", "status_text", "x").Error(400, "BAD_REQUEST", "No such user")
		s.NoEvents()

		// A bot with the administrator role may do so too.
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("bot")), "role", "200").OK()
		s.As("bot").Do(statusCall(s, "POST", "alice"), "status_text", "well again").OK()
		expectStatus(s, "bob", "alice", `{"status_text":"well again"}`)
	})
}

func TestDeactivated(t *testing.T) {
	s := start(t, "")
	s.As("alice").Do("POST /users/me/status", "status_text", "here").OK()
	path := fmt.Sprintf("/users/%d", s.UserID("alice"))
	s.As("adam").Do("DELETE " + path).OK()
	expectStatus(s, "bob", "alice", `{"status_text":"here"}`) // no event changes it
	s.As("adam").Do(statusCall(s, "POST", "alice"), "status_text", "gone").Error(400, "BAD_REQUEST", "User is deactivated")
	s.As("adam").Do("POST " + path + "/reactivate").OK()
	s.LogIn("alice")
	expectStatus(s, "bob", "alice", `{"status_text":"here"}`)
	s.As("alice").Do("POST /users/me/status", "status_text", "back").OK()
	expectStatus(s, "bob", "alice", `{"status_text":"back"}`)
}

// TestAway checks that the legacy parameter away and the setting presence_enabled stay in sync, whichever is changed.
func TestAway(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		alice, id := s.As("alice"), s.UserID("alice")
		mine, bob := alice.Register("event_types", `["user_status","user_settings"]`),
			s.As("bob").Register("event_types", `["user_status","user_settings"]`)
		away := func(is bool) string { return fmt.Sprintf(`{"away":%v,"type":"user_status","user_id":%d}`, is, id) }
		setting := func(is bool) string {
			return fmt.Sprintf(`{"op":"update","property":"presence_enabled","type":"user_settings","value":%v}`, is)
		}
		enabled := func(want bool) {
			t.Helper()
			if got := alice.Do("POST /register", "fetch_event_types",
				`["user_settings"]`).OK().Get("user_settings.presence_enabled"); got != want {
				t.Errorf("presence_enabled is %v", got)
			}
		}
		alice.Do("POST /users/me/status", "away", "true", "status_text", "hidden").OK()
		text := fmt.Sprintf(`{"status_text":"hidden","type":"user_status","user_id":%d}`, id)
		mine.Is(text, setting(false), away(true))
		bob.Is(text, away(true))
		expectStatus(s, "bob", "alice", `{"status_text":"hidden","away":true}`)
		enabled(false)
		s.Skip()
		alice.Do("POST /users/me/status", "away", "true").OK()
		alice.Do("PATCH /settings", "presence_enabled", "false").OK()
		s.NoEvents()
		alice.Do("POST /users/me/status", "status_text", "").OK()
		expectStatus(s, "bob", "alice", `{"away":true}`)
		alice.Do("PATCH /settings", "presence_enabled", "true", "enter_sends", "true").OK()
		expectStatus(s, "bob", "alice", `{}`)
		enabled(true)
		alice.Do("PATCH /settings", "presence_enabled", "false").OK()
		expectStatus(s, "bob", "alice", `{"away":true}`)
		alice.Do("POST /users/me/status", "away", "false").OK()
		expectStatus(s, "bob", "alice", `{}`)
		enabled(true)
		bob.Is(fmt.Sprintf(`{"status_text":"","type":"user_status","user_id":%d}`, id), away(false), away(true), away(false))
	})
}

// TestExtraEmoji checks that the type of the extra emoji is accepted in both spellings and sent in the spelling that
// the client understands.
func TestExtraEmoji(t *testing.T) {
	s := start(t, "", zulipnames.Module)
	path := fmt.Sprintf("GET /users/%d/status", s.UserID("alice"))
	type client struct {
		*kittest.Client
		queue *kittest.Queue
		kind  string
	}
	var clients []client
	for agent, kind := range map[string]string{"ZulipFlutter/30.0": "zulip_extra_emoji",
		"stoa-client/1.0": "service_extra_emoji"} {
		bob := s.As("bob").Agent(agent)
		clients = append(clients, client{bob, bob.Register("event_types", `["user_status"]`), kind})
	}
	for _, sender := range clients {
		s.As("alice").Do("POST /users/me/status", "emoji_name", "zulip", "emoji_code", "zulip", "reaction_type",
			sender.kind).OK()
		for _, c := range clients {
			emoji := fmt.Sprintf(`"emoji_code":"zulip","emoji_name":"zulip","reaction_type":%q`, c.kind)
			c.Do(path).Is(200, `{"result":"success","msg":"","status":{`+emoji+`}}`)
			a := c.Do("POST /register", "event_types", `["user_status"]`).OK()
			if got, want := kittest.JSON(a.Get("user_status")),
				fmt.Sprintf(`{"%d":{%s}}`, s.UserID("alice"), emoji); got != want {
				t.Errorf("the register has %s, want %s", got, want)
			}
			c.queue.Is(fmt.Sprintf(`{%s,"type":"user_status","user_id":%d}`, emoji, s.UserID("alice")))
		}
		s.As("alice").Do("POST /users/me/status", "emoji_name", "").OK()
		for _, c := range clients {
			c.queue.Is(fmt.Sprintf(`{"emoji_code":"","emoji_name":"","reaction_type":"","type":"user_status","user_id":%d}`,
				s.UserID("alice")))
		}
	}
}

// TestAwayFromTheBeginning checks that new users are away from the start if the realm's default hides their presence.
func TestAwayFromTheBeginning(t *testing.T) {
	s := start(t, kittest.DatabaseURL(t))
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	bob, guest := s.As("bob").Register("event_types", `["user_status"]`),
		s.As("guest").Register("event_types", `["user_status"]`)
	join := func(email string) int64 {
		return s.As("olga").Do("POST /users", "email", email, "full_name", "New", "password",
			kittest.Password).OK().Int("user_id")
	}
	join("seen@example.com")
	bob.Is()
	s.As("olga").Do("PATCH /realm/user_settings_defaults", "presence_enabled", "false").OK()
	id := join("hidden@example.com")
	bob.Is(fmt.Sprintf(`{"away":true,"type":"user_status","user_id":%d}`, id))
	guest.Is()
	all := s.As("bob").Do("POST /register", "fetch_event_types", `["user_status"]`).OK()
	if got, want := kittest.JSON(all.Get("user_status")), fmt.Sprintf(`{"%d":{"away":true}}`, id); got != want {
		t.Errorf("the register has %s, want %s", got, want)
	}
}

// TestRestrictedGuestsSeeFewStatuses checks that guests receive the statuses only of users that they can see. The guest
// shares a channel with alice but not with mona.
func TestRestrictedGuestsSeeFewStatuses(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
		guest, bob := s.As("guest").Register("event_types", `["user_status"]`),
			s.As("bob").Register("event_types", `["user_status"]`)
		s.As("mona").Do("POST /users/me/status", "status_text", "secret", "away", "true").OK()
		s.As("alice").Do("POST /users/me/status", "status_text", "open").OK()
		event := func(who, fields string) string {
			return fmt.Sprintf(`{%s,"type":"user_status","user_id":%d}`, fields, s.UserID(who))
		}
		guest.Is(event("alice", `"status_text":"open"`))
		bob.Is(event("mona", `"status_text":"secret"`), event("mona", `"away":true`), event("alice", `"status_text":"open"`))
		expectStatus(s, "guest", "alice", `{"status_text":"open"}`)
		s.As("guest").Do(statusCall(s, "GET", "mona")).Error(400, "BAD_REQUEST", "No such user")
		a := s.As("guest").Do("POST /register", "fetch_event_types", `["user_status"]`).OK()
		a.Body = kittest.JSON(a.Get("user_status"))
		a.Is(200, fmt.Sprintf(`{"%d":{"status_text":"open"}}`, s.UserID("alice")))

		// A user's status is sent to guests who gain access to the user, through a shared channel or because the restriction
		// is lifted.
		s.As("adam").Do("POST /users/me/status", "emoji_name", "smile").OK()
		bob.Is(event("adam", smile))
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals",
			fmt.Sprintf("[%d]", s.UserID("mona"))).OK()
		guest.Is(event("mona", `"away":true,"status_text":"secret"`))
		s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":7}`).OK()
		guest.Is(event("adam", smile))
		bob.Is()
		s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("guest")), "role", "400").OK()
		guest.Is(event("adam", smile))
	})
}
