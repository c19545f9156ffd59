package bots_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

func TestKeys(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "alice", "helper")
		key := func(who string) string { return s.As(who).Do(m.path("GET /bots/%d/api_key")).OK().String("api_key") }
		for _, who := range []string{"alice", "adam", "olga"} {
			if key(who) != m.key {
				t.Errorf("%s reads a different key", who)
			}
		}
		q := m.client().Register("event_types", `["message"]`)
		old := m.client()
		m.key = s.As("adam").Do(m.path("POST /bots/%d/api_key/regenerate")).OK().String("api_key")
		old.Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
		q.Client = m.client()
		q.Take() // queues survive a new key
		if key("alice") != m.key {
			t.Error("alice reads the old key")
		}
		old = m.client()
		m.key = m.client().Do("POST /users/me/api_key/regenerate").OK().String("api_key")
		old.Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
		if key("alice") != m.key {
			t.Error("alice reads another key than the bot's new one")
		}
		s.Restart()
		if key("alice") != m.key || s.As("alice").Do("GET /bots").OK().String("bots.1.api_key") != m.key {
			t.Error("the key changed with a restart")
		}
		for _, e := range s.Log() { // the realm's log is kept, so it must not contain keys
			if text, _ := json.Marshal(e); strings.Contains(string(text), m.key) {
				t.Errorf("the log contains the key: %s", text)
			}
		}
		s.As("alice").Do(m.path("DELETE /bots/%d")).OK()
		s.As("alice").Do(m.path("GET /bots/%d/api_key")).Error(400, "BAD_REQUEST", "The bot is deactivated.")
		s.As("alice").Do(m.path("POST /bots/%d/api_key/regenerate")).Error(400, "BAD_REQUEST", "The bot is deactivated.")
	})
}

// If the server's secret has changed, stored keys still work but cannot be read. The owner can create a new one.
func TestAnotherSecret(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "alice", "helper", "bot_type", "3", "payload_url", `"http://one.example"`)
		s.RestartWith("secret: another word of the server, as long as it must be")
		m.client().Do("GET /users/me").OK()
		s.As("alice").Do(m.path("GET /bots/%d/api_key")).Error(400, "BAD_REQUEST",
			"The API key of this bot can't be shown. You can create a new one.")
		if got := s.As("alice").Do("GET /bots").OK().String("bots.1.api_key"); got != "" {
			t.Errorf("listed as %q", got)
		}
		a := s.As("alice").Do("POST /register", "fetch_event_types", `["realm_bot"]`, "event_types", "[]").OK()
		if got := a.String("realm_bots.1.services.0.token"); got != "" {
			t.Errorf("a token that cannot be decrypted: %q", got)
		}
		key := s.As("alice").Do(m.path("POST /bots/%d/api_key/regenerate")).OK().String("api_key")
		if got := s.As("alice").Do(m.path("GET /bots/%d/api_key")).OK().String("api_key"); got != key {
			t.Errorf("read %q, want %q", got, key)
		}
	})
}

// The key, queues and polls of a deactivated bot stop working immediately. A reactivated bot has the same key, or a new
// one if its owner has changed.
func TestDeactivate(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "bob", "helper", "default_sending_stream", "general")
		m.client().Do("PUT /bot_storage", "storage", `{"a":"1"}`).OK()
		q := m.client().Register("event_types", `["message"]`)
		held := make(chan *kittest.Response)
		go func() { held <- q.Wait() }()
		fs := follow(s)
		s.Skip()
		s.As("bob").Do(m.path("DELETE /bots/%d")).Is(200, `{"result":"success","msg":""}`)
		s.EventsOf("realm_user", fmt.Sprintf(`realm_user/update seeing:%[1]d {"person":{"user_id":%[1]d,"is_active":false}}`,
			m.id))
		if a := <-held; a.Status == 200 {
			t.Errorf("the held poll got %s", a.Body)
		}
		for _, call := range []string{"GET /users/me", "GET /events", "POST /register", "GET /bot_storage",
			"POST /messages"} {
			m.client().Do(call).Error(401, "UNAUTHORIZED", "Account is deactivated")
		}
		fs.expect() // it is still listed
		s.As("bob").Do("GET /bots").Is(200, `{"result":"success","msg":"","bots":[]}`)
		s.As("bob").Do(m.path("DELETE /bots/%d")).Error(400, "BAD_REQUEST", "User is deactivated")
		if m.user().Get("user.is_active") != false {
			t.Error("the bot is active")
		}
		s.As("adam").Do(m.path("POST /users/%d/reactivate")).OK()
		fs.expect()
		m.client().Do("GET /bot_storage").Is(200, `{"result":"success","msg":"","storage":{"a":"1"}}`)
		q.Poll().Error(400, "BAD_EVENT_QUEUE_ID", "")

		// Bots are deactivated with their owner and reactivated with another.
		s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
		m.client().Do("GET /users/me").Error(401, "UNAUTHORIZED", "Account is deactivated")
		s.Skip()
		s.As("adam").Do(m.path("POST /users/%d/reactivate")).OK()
		s.EventsOf("realm_user", fmt.Sprintf(`realm_user/update seeing:%[1]d {"person":{"user_id":%[1]d,"is_active":true}}`,
			m.id),
			fmt.Sprintf(`realm_user/update seeing:%[1]d {"person":{"user_id":%[1]d,"bot_owner_id":%[2]d}}`, m.id,
				s.UserID("adam")))
		if got := s.As("adam").Do("GET /bots").OK().String("bots.0.username"); got != m.email {
			t.Errorf("adam owns %s", got)
		}
		m.client().Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key") // bob has read that key
		key := s.As("adam").Do(m.path("GET /bots/%d/api_key")).OK().String("api_key")
		s.WithKey(m.email, key).Do("GET /bot_storage").Is(200, `{"result":"success","msg":"","storage":{"a":"1"}}`)
	})
}

// A request authenticated with a key that has since been revoked neither creates bots nor returns their keys.
func TestRevokedKey(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "bob", "helper")
		came, err := s.Ports.Authenticator.Authenticate(t.Context(), s.Realm, "bob@example.com", s.As("bob").Key())
		if err != nil {
			t.Fatal(err)
		}
		key := s.As("bob").Do("POST /users/me/api_key/regenerate").OK().String("api_key")
		s.Skip()
		late := map[string]string{
			"POST /bots":                            `{"full_name":"Spy","short_name":"spy","bot_type":1,"interface_type":1}`,
			"PATCH /bots/:bot_id":                   m.path(`{"bot_id":%d,"full_name":"Spy"}`),
			"GET /bots":                             `{}`,
			"GET /bots/:bot_id/api_key":             m.path(`{"bot_id":%d}`),
			"POST /bots/:bot_id/api_key/regenerate": m.path(`{"bot_id":%d}`),
			"DELETE /bots/:bot_id":                  m.path(`{"bot_id":%d}`),
		}
		for _, e := range s.Ports.Collected.Endpoints {
			body, ok := late[e.Method+" "+e.Path]
			if !ok {
				continue
			}
			delete(late, e.Method+" "+e.Path)
			_, err := e.Call(t.Context(), came, func(req any) error { return json.Unmarshal([]byte(body), req) })
			if !errs.Is(err, errs.Unauthorized) {
				t.Errorf("%s %s: %v", e.Method, e.Path, err)
			}
		}
		if len(late) > 0 {
			t.Errorf("no such rows: %v", late)
		}
		s.NoEvents()
		m.client().Do("GET /users/me").OK()
		s.WithKey("bob@example.com", key).Do(m.path("POST /bots/%d/api_key/regenerate")).OK()
	})
}

// Incoming webhook bots can only send messages. Tests in app/proof/oracle check that no other route admits them.
func TestIncomingWebhooks(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m := makeBot(s, "bob", "hook", "bot_type", "2", "default_sending_stream", "general")
		if got := m.user().Int("user.bot_type"); got != int64(user.IncomingWebhook) {
			t.Errorf("the type is %d", got)
		}
		for _, call := range []string{"GET /messages", "GET /users/me", "POST /register", "GET /events",
			"POST /users/me/api_key/regenerate",
			"GET /bot_storage", "PUT /bot_storage", "GET /bots", "POST /messages/render"} {
			m.client().Do(call).Error(401, "UNAUTHORIZED", "This API is not available to incoming webhook bots.")
		}
		m.client().Do("POST /messages", "type", "stream", "topic", "t", "content", "x").OK()
		m.client().Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("bob")), "content", "x").OK()
	})
}

// The service of an outgoing webhook is visible to its owner and administrators. Its token is generated here and never
// changes.
func TestServices(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		fs := follow(s)
		m := makeBot(s, "bob", "out", "bot_type", "3", "payload_url", `"https://one.example/hook"`, "interface_type", "2",
			"service_name", "One")
		fs.expect("bob: add", "olga: add", "adam: add")
		service := func(who string) *kittest.Response {
			return s.As(who).Do("POST /register", "fetch_event_types", `["realm_bot"]`, "event_types", "[]").OK()
		}
		token := service("bob").String("realm_bots.0.services.0.token")
		if len(token) < 26 || service("adam").String("realm_bots.1.services.0.token") != token {
			t.Errorf("the token is %q", token)
		}
		if got := kittest.JSON(service("bob").Get("realm_bots.0.services")); got != fmt.Sprintf(
			`[{"base_url":"https://one.example/hook","interface":2,"token":%q}]`, token) {
			t.Errorf("the service is %s", got)
		}
		a := s.As("bob").Do(m.path("PATCH /bots/%d"), "service_payload_url", "http://two.example").OK() // without quotes
		if a.String("service_payload_url") != "http://two.example" || a.Int("service_interface") != 2 {
			t.Errorf("answered %s", a.Body)
		}
		fs.expect("bob: services", "olga: services", "adam: services")
		s.As("adam").Do(m.path("PATCH /bots/%d"), "service_interface", "1").OK()
		fs.expect("bob: services", "olga: services", "adam: services")
		s.Skip()
		s.As("adam").Do(m.path("PATCH /bots/%d"), "service_interface", "1", "service_payload_url",
			`"http://two.example"`).OK()
		s.NoEvents()
		if got := service("bob").String("realm_bots.0.services.0.token"); got != token {
			t.Error("the token has changed")
		}
		for _, e := range s.Log() {
			if text, _ := json.Marshal(e); strings.Contains(string(text), token) || strings.Contains(string(text), "example") {
				t.Errorf("the log contains the service: %s", text)
			}
		}
	})
}
