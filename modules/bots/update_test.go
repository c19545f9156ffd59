package bots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
)

func TestUpdate(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "alice", "helper")
		fs := follow(s)
		patch := func(who string, params ...string) *kittest.Response {
			t.Helper()
			return s.As(who).Do(m.path("PATCH /bots/%d"), params...)
		}
		const answer = `{"result":"success","msg":"","full_name":"%s","avatar_url":"*","service_interface":1,
		"service_payload_url":null,"config_data":%s,
			"default_sending_stream":%s,"default_events_register_stream":%s,"default_all_public_streams":%s,
			"bot_owner":"alice@example.com"}`
		s.Skip()
		patch("alice").Is(200, fmt.Sprintf(answer, "helper", "{}", "null", "null", "false"))
		s.NoEvents()
		patch("alice", "full_name", " Better Helper ").Is(200,
			fmt.Sprintf(answer, "Better Helper", "{}", "null", "null", "false"))
		s.Events(fmt.Sprintf(`realm_user/update seeing:%[1]d {"person":{"user_id":%[1]d,"full_name":"Better Helper"}}`, m.id))
		fs.expect()
		patch("alice", "default_sending_stream", "secret", "default_events_register_stream", "general",
			"default_all_public_streams", "true").
			Is(200, fmt.Sprintf(answer, "Better Helper", "{}", `"secret"`, `"general"`, "true"))
		const all = "default_sending_stream default_events_register_stream default_all_public_streams"
		fs.expect("alice: "+all, "olga: "+all, "adam: "+all)
		s.Skip()
		patch("adam", "default_sending_stream", "SECRET", "default_all_public_streams", "true").OK()
		s.NoEvents()
		patch("adam", "config_data", `{"a":"1","b":"2"}`).OK()
		patch("olga", "config_data", `{"b":"3"}`, "default_sending_stream", "", "default_all_public_streams", "false").
			Is(200, fmt.Sprintf(answer, "Better Helper", `{"a":"1","b":"3"}`, "null", `"general"`, "false"))
		const two = "default_sending_stream default_all_public_streams"
		fs.expect("alice: "+two, "olga: "+two, "adam: "+two)
		s.Restart()
		fs = follow(s)
		patch("alice", "default_events_register_stream", "").Is(200,
			fmt.Sprintf(answer, "Better Helper", `{"a":"1","b":"3"}`, "null", "null", "false"))
		const one = "default_events_register_stream"
		fs.expect("alice: "+one, "olga: "+one, "adam: "+one)

		s.Skip() // the bot has a new address, and no one has the old one
		patch("alice", "short_name", "better").OK()
		if got := m.user().String("user.delivery_email"); got != "better-bot@stoa.invalid" ||
			m.user().String("user.email") != got {
			t.Errorf("the address is %s", got)
		}
		s.Events(fmt.Sprintf(`realm_user/update seeing:%[1]d {"email":"*"}`, m.id),
			fmt.Sprintf(`realm_user/update seeing:%[1]d {"person":{"user_id":%[1]d,"new_email":"better-bot@stoa.invalid"}}`,
				m.id),
			fmt.Sprintf(`realm_user/update seeing:%[1]d {"avatar":%[1]d}`, m.id))
		m.client().Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
		m.email = "better-bot@stoa.invalid"
		m.client().Do("GET /users/me").OK()
		s.Skip()
		patch("alice", "short_name", "better").OK()
		s.NoEvents()

		q := s.As("bob").Register("event_types", `["realm_user"]`)
		patch("adam", "role", "300").OK()
		received := q.Take()
		if received.Has("events.1") ||
			kittest.JSON(received.Get("events.0.person")) != fmt.Sprintf(`{"role":300,"user_id":%d}`, m.id) {
			t.Errorf("bob received %s", received.Body)
		}
		if got := m.client().Do("GET /users/me").OK().Int("role"); got != 300 {
			t.Errorf("the role is %d", got)
		}
		fs.expect()
	})
}

func TestUpdateRefusals(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m, out := makeBot(s, "alice", "helper"), makeBot(s, "alice", "out", "bot_type", "3", "payload_url", `"http://x.org"`)
		makeBot(s, "bob", "other")
		mighty := makeBot(s, "alice", "mighty")
		s.As("olga").Do(mighty.path("PATCH /bots/%d"), "role", "100").OK()
		s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("mona"))).OK()
		s.Skip()
		id := func(name string) string { return fmt.Sprint(s.UserID(name)) }
		for _, c := range []struct {
			as, call, name, value, code, msg string
		}{
			{"guest", m.path("PATCH /bots/%d"), "full_name", "x", "BAD_REQUEST", "Not allowed for guest users"},
			{"bot", m.path("PATCH /bots/%d"), "full_name", "x", "BAD_REQUEST", "Insufficient permission"},
			{"bob", m.path("PATCH /bots/%d"), "full_name", "x", "BAD_REQUEST", "Insufficient permission"},
			{"bob", m.path("DELETE /bots/%d"), "", "", "BAD_REQUEST", "Insufficient permission"},
			{"bob", m.path("GET /bots/%d/api_key"), "", "", "BAD_REQUEST", "Insufficient permission"},
			{"bob", m.path("POST /bots/%d/api_key/regenerate"), "", "", "BAD_REQUEST", "Insufficient permission"},
			{"bot", m.path("GET /bots/%d/api_key"), "", "", "BAD_REQUEST", "Insufficient permission"},
			{"olga", "PATCH /bots/99", "full_name", "x", "BAD_REQUEST", "No such bot"},
			{"olga", "PATCH /bots/" + id("bob"), "full_name", "x", "BAD_REQUEST", "No such bot"},
			{"olga", "PATCH /bots/1", "full_name", "x", "BAD_REQUEST", "No such bot"}, // the Notification Bot
			{"olga", "GET /bots/" + id("bob") + "/api_key", "", "", "BAD_REQUEST", "No such bot"},
			{"olga", "DELETE /bots/" + id("bob"), "", "", "BAD_REQUEST", "No such bot"},
			{"olga", "POST /bots/" + id("bob") + "/api_key/regenerate", "", "", "BAD_REQUEST", "No such bot"},
			{"alice", m.path("PATCH /bots/%d"), "full_name", "", "BAD_REQUEST", "Name must not be empty!"},
			{"alice", m.path("PATCH /bots/%d"), "full_name", "OTHER", "BAD_REQUEST", "Name is already in use."},
			{"alice", m.path("PATCH /bots/%d"), "short_name", "other", "BAD_REQUEST", "already in use"},
			{"alice", m.path("PATCH /bots/%d"), "short_name", "a b", "BAD_REQUEST", "Bad name or username"},
			{"alice", m.path("PATCH /bots/%d"), "role", "300", "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization administrator"},
			{"adam", m.path("PATCH /bots/%d"), "role", "100", "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner"},
			{"adam", m.path("PATCH /bots/%d"), "role", "500", "BAD_REQUEST", "Invalid role"},
			{"adam", mighty.path("PATCH /bots/%d"), "bot_owner_id", id("adam"), "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization owner"},
			{"adam", mighty.path("GET /bots/%d/api_key"), "", "", "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner"},
			{"adam", mighty.path("POST /bots/%d/api_key/regenerate"), "", "", "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization owner"},
			{"adam", mighty.path("DELETE /bots/%d"), "", "", "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner"},
			{"alice", m.path("PATCH /bots/%d"), "bot_owner_id", "99", "BAD_REQUEST", "No such user"},
			{"alice", m.path("PATCH /bots/%d"), "bot_owner_id", "1", "BAD_REQUEST", "No such user"},
			{"alice", m.path("PATCH /bots/%d"), "bot_owner_id", id("bot"), "BAD_REQUEST", "Bots can't own bots."},
			{"alice", m.path("PATCH /bots/%d"), "bot_owner_id", id("guest"), "BAD_REQUEST", "Guests can't own bots."},
			{"alice", m.path("PATCH /bots/%d"), "bot_owner_id", id("mona"), "BAD_REQUEST", "The new owner is deactivated."},
			{"adam", m.path("PATCH /bots/%d"), "default_sending_stream", "nowhere", "BAD_REQUEST", "Invalid channel name"},
			{"alice", m.path("PATCH /bots/%d"), "service_payload_url", `"http://y.org"`, "BAD_REQUEST",
				"Only outgoing webhook bots"},
			{"alice", m.path("PATCH /bots/%d"), "service_interface", "2", "BAD_REQUEST", "Only outgoing webhook bots"},
			{"alice", out.path("PATCH /bots/%d"), "service_payload_url", `"y.org"`, "BAD_REQUEST", "payload_url is not a URL"},
			{"alice", out.path("PATCH /bots/%d"), "service_interface", "3", "BAD_REQUEST", "Invalid interface type"},
			{"alice", m.path("PATCH /bots/%d"), "config_data", `{"a":2}`, "BAD_REQUEST", "not a string"},
		} {
			params := []string{}
			if c.name != "" {
				params = append(params, c.name, c.value)
				if c.code == "BAD_REQUEST" && c.as == "alice" && c.name != "full_name" { // and the whole request changes nothing
					params = append(params, "full_name", "Never Called")
				}
			}
			s.As(c.as).Do(c.call, params...).Error(400, c.code, c.msg)
		}
		s.As("bob").Do(m.path("PATCH /bots/%d"), "default_sending_stream", "secret").Error(400, "BAD_REQUEST",
			"Insufficient permission")
		s.NoEvents()
		if got := m.user().String("user.full_name"); got != "helper" {
			t.Errorf("the bot's name is %s", got)
		}
		m.client().Do("GET /users/me").OK()
		mighty.client().Do("GET /users/me").OK()
		s.As("alice").Do(mighty.path("GET /bots/%d/api_key")).OK() // an owner transferred it to her
		s.As("olga").Do(mighty.path("GET /bots/%d/api_key")).OK()
	})
}

// A transferred bot disappears from its former owner's list. Channels that the new owner cannot see are removed from
// its defaults.
func TestOwners(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "alice", "helper", "default_sending_stream", "secret", "default_events_register_stream", "general")
		fs := follow(s)
		hand := func(who, to string) *kittest.Response {
			t.Helper()
			return s.As(who).Do(m.path("PATCH /bots/%d"), "bot_owner_id", fmt.Sprint(s.UserID(to)))
		}
		s.Skip()
		a := hand("alice", "bob").OK()
		if a.Get("default_sending_stream") != nil || a.String("default_events_register_stream") != "general" ||
			a.String("bot_owner") != "bob@example.com" {
			t.Errorf("answered %s", a.Body)
		}
		s.EventsOf("realm_user", fmt.Sprintf(`realm_user/update seeing:%[1]d {"person":{"user_id":%[1]d,`+
			`"bot_owner_id":%[2]d}}`, m.id, s.UserID("bob")))
		fs.expect("alice: delete", "bob: add", "olga: default_sending_stream", "adam: default_sending_stream")
		hand("alice", "alice").Error(400, "BAD_REQUEST", "Insufficient permission")
		s.As("alice").Do(m.path("GET /bots/%d/api_key")).Error(400, "BAD_REQUEST", "Insufficient permission")
		s.As("bob").Do(m.path("GET /bots/%d/api_key")).OK()
		if got := m.user().Int("user.bot_owner_id"); got != int64(s.UserID("bob")) {
			t.Errorf("the owner is %d", got)
		}
		hand("olga", "adam").OK()
		fs.expect("bob: delete") // adam has seen it all along
		hand("adam", "adam").OK()
		fs.expect()
		hand("adam", "mona").OK()
		fs.expect("mona: add")
		// mona cannot see the channel
		s.As("adam").Do(m.path("PATCH /bots/%d"), "default_sending_stream", "secret").Error(400, "BAD_REQUEST",
			"Invalid channel name 'secret'")
	})
}

// When a bot is transferred, its API key is revoked, because the former owner knows it, even if the bot was deactivated
// in between. Other changes do not revoke the key.
func TestKeyOfTransferredBot(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "adam", "helper")
		change := func(params ...string) { t.Helper(); s.As("olga").Do(m.path("PATCH /bots/%d"), params...).OK() }
		works := func(key string, want bool) {
			t.Helper()
			if a := s.WithKey(m.email, key).Do("GET /users/me"); (a.Status == 200) != want {
				t.Errorf("a valid key: %v: %s", want, a.Body)
			}
		}
		read := func(who string) string {
			t.Helper()
			return s.As(who).Do(m.path("GET /bots/%d/api_key")).OK().String("api_key")
		}
		first := read("adam")
		change("role", "200", "bot_owner_id", fmt.Sprint(s.UserID("adam")), "full_name", "Helper II")
		works(first, true)
		change("bot_owner_id", fmt.Sprint(s.UserID("olga")))
		works(first, false)
		second := read("olga")
		works(second, true)
		s.As("olga").Do(m.path("DELETE /bots/%d")).OK()
		change("bot_owner_id", fmt.Sprint(s.UserID("adam")))
		s.As("olga").Do(m.path("POST /users/%d/reactivate")).OK()
		works(second, false)
		works(read("adam"), true)
	})
}

// A user cannot transfer a bot with a role that they could not grant.
func TestOwnersOfLowerRole(t *testing.T) {
	s := start(t, kittest.Memory)
	m := makeBot(s, "alice", "helper")
	hand := func(who, to string, params ...string) *kittest.Response {
		t.Helper()
		return s.As(who).Do(m.path("PATCH /bots/%d"), append(params, "bot_owner_id", fmt.Sprint(s.UserID(to)))...)
	}
	s.As("adam").Do(m.path("PATCH /bots/%d"), "role", "200").OK()
	s.Skip()
	hand("alice", "bob").Error(400, "BAD_REQUEST", "The bot has a higher role than its new owner.")
	hand("alice", "bob", "role", "400").Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	s.NoEvents()
	hand("alice", "adam").OK()
	hand("adam", "bob").OK()
	if a := m.user(); a.Int("user.bot_owner_id") != int64(s.UserID("bob")) || a.Int("user.role") != 200 {
		t.Errorf("the bot is %s", a.Body)
	}
	hand("adam", "alice", "role", "400").OK()
	if a := m.user(); a.Int("user.bot_owner_id") != int64(s.UserID("alice")) || a.Int("user.role") != 400 {
		t.Errorf("the bot is %s", a.Body)
	}
	hand("alice", "bob").OK()
}

// The address of a bot is visible to everyone, regardless of the realm's default for users.
func TestAddressOfBotIsVisible(t *testing.T) {
	s := start(t, "")
	s.As("olga").Do("PATCH /realm/user_settings_defaults", "email_address_visibility", "3").OK()
	m := makeBot(s, "bob", "first")
	queue := s.As("alice").Register("event_types", `["realm_user"]`)
	s.As("bob").Do(m.path("PATCH /bots/%d"), "short_name", "second").OK()
	now := s.As("alice").Do(m.path("GET /users/%d")).OK().String("user.delivery_email")
	received := queue.Take()
	if got := received.String("events.0.person.delivery_email"); !strings.HasPrefix(now, "second-bot@") || got != now {
		t.Errorf("alice received %q, and reads %q", got, now)
	}
}

// Events delivered late do not reveal bots that the receiver can no longer see.
func TestSlowQueues(t *testing.T) {
	s := start(t, kittest.Memory)
	m := makeBot(s, "alice", "out", "bot_type", "3", "payload_url", `"http://one.example"`)
	queues := map[string]*kittest.Queue{}
	for _, who := range []string{"alice", "bob"} {
		queues[who] = s.As(who).Register("event_types", `["realm_bot"]`)
	}
	s.As("alice").Do(m.path("PATCH /bots/%d"), "service_payload_url", `"http://two.example"`, "default_sending_stream",
		"secret").OK()
	s.As("alice").Do(m.path("PATCH /bots/%d"), "bot_owner_id", fmt.Sprint(s.UserID("bob"))).OK()
	s.As("bob").Do(m.path("PATCH /bots/%d"), "bot_owner_id", fmt.Sprint(s.UserID("mona"))).OK()
	for who, q := range queues {
		a := q.Take()
		if a.Has("events.1") || a.String("events.0.op") != "delete" {
			t.Errorf("%s received %s", who, a.Body)
		}
	}
}

// New administrators receive all bots; former administrators lose the bots of others.
func TestAdministrators(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		makeBot(s, "bob", "one", "bot_type", "3", "payload_url", `"http://one.example"`, "default_sending_stream", "general")
		makeBot(s, "alice", "two", "default_sending_stream", "secret")
		fs := follow(s)
		role := func(role int) {
			t.Helper()
			s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("bob")), "role", fmt.Sprint(role)).OK()
		}
		role(200)
		fs.expect("bob: add add")
		role(100)
		fs.expect()
		role(400)
		fs.expect("bob: delete delete")
		role(600)
		fs.expect()
		s.As("bob").Do("GET /bots").Error(400, "BAD_REQUEST", "guest")
	})
}

// A bot's defaults contain the current names of channels, for users who can see the channels.
func TestChannelNamesInDefaults(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "bob", "helper", "default_sending_stream", "general", "default_events_register_stream", "general")
		fs := follow(s)
		general := fmt.Sprintf("PATCH /streams/%d", s.ChannelID("general"))
		const both = "default_sending_stream default_events_register_stream"
		s.As("olga").Do(general, "new_name", "plaza").OK()
		fs.expect("bob: "+both, "olga: "+both, "adam: "+both)
		s.As("olga").Do(general, "is_private", "true").OK()
		fs.expect()
		s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["plaza"]`).OK()
		fs.expect("bob: " + both) // he can no longer see the channel
		s.As("olga").Do(general, "new_name", "hideout").OK()
		fs.expect("olga: "+both, "adam: "+both)
		if got := s.As("bob").Do("GET /bots").OK().Get("bots.0.default_sending_stream"); got != nil {
			t.Errorf("bob received %v", got)
		}
		s.As("olga").Do(general, "is_private", "false").OK()
		fs.expect("bob: " + both)
		s.As("olga").Do(general, "is_private", "true").OK()
		fs.expect("bob: " + both)
		s.As("olga").Do(general, "can_add_subscribers_group", named(group.Members)).OK()
		fs.expect("bob: " + both)
		s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", s.ChannelID("general"))).OK()
		fs.expect()
		if got := s.As("bob").Do(m.path("PATCH /bots/%d"), "default_sending_stream",
			"").OK().Get("default_events_register_stream"); got != "hideout" {
			t.Errorf("the setting must stay: %v", got)
		}
	})
}
