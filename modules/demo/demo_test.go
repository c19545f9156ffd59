package demo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/demo"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/presence"
	"github.com/stoachat/stoa/modules/profilefields"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
	"github.com/stoachat/stoa/ports"
)

var required = []kit.Module{realm.Module, accounts.Module, channels.Module, messages.Module, sessions.Module}

func start(t *testing.T) *kittest.Server { return kittest.Start(t, append(required, demo.Module)...) }

func TestModule(t *testing.T) { kittest.Check(t, demo.Module, required...) }

func TestKeyWithoutPassword(t *testing.T) {
	s := start(t)
	var got struct {
		Key    string `json:"api_key"`
		Email  string `json:"email"`
		UserID int64  `json:"user_id"`
	}
	answer := s.Anonymous().Do("POST /dev_fetch_api_key", "username", "ALICE@example.com")
	if err := json.Unmarshal([]byte(answer.Body), &got); err != nil || answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	if got.Email != "alice@example.com" || got.UserID != int64(s.UserID("alice")) || len(got.Key) != 32 {
		t.Errorf("%+v", got)
	}
	if me := s.WithKey(got.Email, got.Key).Do("GET /users/me"); me.Status != 200 {
		t.Errorf("the key does not work: %d %s", me.Status, me.Body)
	}
	for name, want := range map[string]string{
		"nobody@example.com": "AUTHENTICATION_FAILED",
		"bot@example.com":    "AUTHENTICATION_FAILED",
		"":                   "AUTHENTICATION_FAILED",
	} {
		s.Anonymous().Do("POST /dev_fetch_api_key", "username", name).Error(401, want, "No user has this email address")
	}
	s.Anonymous().Do("POST /dev_fetch_api_key").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'username' argument")
}

// Obtaining a key without a password counts as the first login: a later login with a password does not change the date
// on which the user joined.
func TestKeyWithoutPasswordIsFirstLogin(t *testing.T) {
	s := start(t)
	id := s.As("olga").Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password",
		kittest.Password).OK().Int("user_id")
	for _, login := range [][]string{{"POST /dev_fetch_api_key"}, {"POST /fetch_api_key", "password", kittest.Password}} {
		s.Clock.Advance(24 * time.Hour)
		s.Anonymous().Do(login[0], append(login[1:], "username", "nina@example.com")...).OK()
		if got := s.As("bob").Do(fmt.Sprintf("GET /users/%d", id)).OK().String("user.date_joined"); got !=
			"2026-06-02T12:00+00:00" {
			t.Errorf("after %s joined at %s", login[0], got)
		}
	}
}

func TestListOfUsers(t *testing.T) {
	s := start(t)
	entry := func(name string) string { return `{"email":"` + name + `@example.com","realm_url":"` + s.URL + `"}` }
	s.Anonymous().Do("GET /dev_list_users").Is(200, `{"result":"success","msg":"","direct_admins":[`+entry("olga")+`,`+
		entry("adam")+
		`],"direct_users":[`+entry("alice")+`,`+entry("bob")+`,`+entry("mona")+`,`+entry("guest")+`]}`)
}

// browser stores cookies, and sends the CSRF token like the web client.
type browser struct {
	t       *testing.T
	s       *kittest.Server
	cookies map[string]string
}

func (b *browser) do(method, path string, form url.Values, token bool) (int, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	if token {
		req.Header.Set("X-CSRFToken", b.cookies["csrftoken"])
	}
	res, err := b.s.Client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	for _, c := range res.Cookies() {
		b.cookies[c.Name] = c.Value
		if c.HttpOnly != (c.Name == "sessionid") {
			b.t.Errorf("%s: HttpOnly %v", c.Name, c.HttpOnly)
		}
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestSession(t *testing.T) {
	s := start(t)
	b := &browser{t, s, map[string]string{}}
	if status, body := b.do("GET", "/json/users/me", nil, false); status != 401 {
		t.Errorf("before the login: %d %s", status, body)
	}
	if status, body := b.do("POST", "/accounts/login/local", url.Values{"username": {"nobody@example.com"}},
		false); status != 401 || len(b.cookies) > 0 {
		t.Errorf("%d %s", status, body)
	}
	if status, body := b.do("GET", "/accounts/login/local", nil, false); status != 405 {
		t.Errorf("%d %s", status, body)
	}
	if status, body := b.do("POST", "/accounts/login/local", url.Values{"username": {"alice@example.com"}},
		false); status != 200 ||
		!strings.Contains(body, `"email":"alice@example.com"`) || len(b.cookies) != 3 {
		t.Fatalf("%d %s %v", status, body, b.cookies)
	}
	if status, body := b.do("GET", "/json/users/me", nil, false); status != 200 ||
		!strings.Contains(body, `"delivery_email":"alice@example.com"`) {
		t.Errorf("%d %s", status, body)
	}
	text := url.Values{"type": {"channel"}, "to": {`"general"`}, "topic": {"t"}, "content": {"hello"}}
	if status, body := b.do("POST", "/json/messages", text, false); status != 403 ||
		!strings.Contains(body, `"code":"CSRF_FAILED"`) {
		t.Errorf("without the token: %d %s", status, body)
	}
	if status, body := b.do("POST", "/json/messages", text, true); status != 200 {
		t.Errorf("with the token: %d %s", status, body)
	}
	s.Clock.Advance(14 * 24 * time.Hour)
	if status, body := b.do("GET", "/json/users/me", nil, false); status != 401 {
		t.Errorf("after its lifetime: %d %s", status, body)
	}
}

// A key obtained without a password comes with a session, and a second request gets the same key.
func TestKeyComesWithSession(t *testing.T) {
	s := start(t)
	b := &browser{t, s, map[string]string{}}
	const path = "/api/v1/dev_fetch_api_key"
	status, first := b.do("POST", path+"?username=alice@example.com", nil, false)
	if status != 200 || len(b.cookies) != 3 {
		t.Fatalf("%d %s %v", status, first, b.cookies)
	}
	if status, body := b.do("GET", "/json/users/me", nil, false); status != 200 ||
		!strings.Contains(body, `"delivery_email":"alice@example.com"`) {
		t.Errorf("%d %s", status, body)
	}
	text := url.Values{"type": {"channel"}, "to": {`"general"`}, "topic": {"t"}, "content": {"hello"}}
	if status, body := b.do("POST", "/json/messages", text, true); status != 200 {
		t.Errorf("with the token: %d %s", status, body)
	}
	if status, body := b.do("POST", path, url.Values{"username": {"alice@example.com"}}, false); status != 200 ||
		body != first {
		t.Errorf("again: %d %s, want %s", status, body, first)
	}
	key := s.Anonymous().Do("POST /dev_fetch_api_key", "username", "alice@example.com").OK().String("api_key")
	s.WithKey("alice@example.com", key).Do("POST /users/me/api_key/regenerate").OK()
	if other := s.Anonymous().Do("POST /dev_fetch_api_key", "username",
		"alice@example.com").OK().String("api_key"); other == key {
		t.Error("a revoked key was returned again")
	}
	for name, value := range map[string]string{"Origin": "http://evil.example.com", "Sec-Fetch-Site": "cross-site"} {
		req := s.Anonymous().Request("POST /dev_fetch_api_key?username=alice@example.com", nil)
		req.Header.Set(name, value)
		res, err := s.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != 403 || len(res.Cookies()) > 0 {
			t.Errorf("%s %s: %d", name, value, res.StatusCode)
		}
	}
}

// The HTTP server does not start with local endpoints on publicly reachable addresses.
func TestEndpointsAreLocal(t *testing.T) {
	rows := 0
	for _, m := range start(t).App.Modules().Modules {
		for _, e := range m.Parts.Endpoints {
			if m.Module == "demo" {
				if rows++; !e.LocalOnly {
					t.Errorf("%s %s is not restricted to development", e.Method, e.Path)
				}
			}
		}
	}
	if rows != 3 {
		t.Errorf("%d rows", rows)
	}
}

func TestFill(t *testing.T) {
	// The domain allows a second realm.
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {realm: {domain: 127.0.0.1}}"},
		append(required, demo.Module, profilefields.Module, presence.Module)...)
	ctx := t.Context()
	var id domainrealm.ID
	s.Do(func(ctx context.Context) error {
		var err error
		id, err = s.Ports.Realms.Create(ctx, "Zulip Dev", "zulipdev")
		return err
	})
	if err := s.Ports.Demo.Fill(ctx, id); !errs.Is(err, errs.BadRequest) {
		t.Errorf("without an owner: %v", err)
	}
	owner, err := s.Ports.Accounts.Create(ctx, user.Actor{Realm: id, System: true}, ports.NewUser{
		Email: "desdemona@zulip.com", FullName: "Desdemona", Role: user.Owner,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ports.Demo.Fill(ctx, id); err != nil {
		t.Fatal(err)
	}
	v, err := s.Ports.Directory.View(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	for email, want := range map[string]struct {
		role user.Role
		name string
	}{
		"desdemona@zulip.com": {user.Owner, "Desdemona"}, "iago@zulip.com": {user.Admin, "Iago"},
		"shiva@zulip.com":    {user.Moderator, "Shiva"},
		"polonius@zulip.com": {user.Guest, "Polonius"}, "AARON@zulip.com": {user.Member, "aaron"},
		"hamlet@zulip.com":   {user.Member, "King Hamlet"},
		"cordelia@zulip.com": {user.Member, "Cordelia, Lear's daughter"},
		"othello@zulip.com":  {user.Member, "Othello, the Moor of Venice"},
		"prospero@zulip.com": {user.Member, "Prospero from The Tempest"}, "ZOE@zulip.com": {user.Member, "Zoe"},
	} {
		u := v.UserByEmail(email)
		if u == nil || u.DeliveryEmail != email || u.Role != want.role || u.FullName != want.name {
			t.Errorf("%s: %+v", email, u)
		}
	}
	for _, name := range []string{"Denmark", "Verona", "Scotland", "Venice", "Rome", "Paris", "core team"} {
		c := v.ChannelByName(name)
		if c == nil || c.Private != (name == "core team") || !v.Subscribed(owner, c.ID) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := v.ChannelByName("moderation"); c == nil || !c.Private ||
		v.Realm().Settings.ModerationRequestChannel != int64(c.ID) {
		t.Errorf("the moderation channel is %+v", c)
	}
	if c := v.ChannelByName("core team"); c != nil && len(v.Subscribers(c.ID)) != 3 {
		t.Errorf("the core team are %v", v.Subscribers(c.ID))
	}
	sent := 0
	for seq := event.Seq(0); ; {
		entries, upTo, err := s.Ports.Reader.After(ctx, id, seq, 500)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Type == "message" {
				sent++
			}
		}
		if seq = upTo; len(entries) < 500 {
			break
		}
	}
	if sent < 250 {
		t.Errorf("%d messages", sent)
	}
	if err := s.Ports.Demo.Fill(ctx, id); !errs.Is(err, errs.BadRequest) {
		t.Errorf("a second time: %v", err)
	}
}
