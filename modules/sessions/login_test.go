package sessions_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/kit"
)

func TestLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database, "")
		for _, path := range []string{"/login/", "/login", "/accounts/login/"} {
			b := &browser{s: s}
			a := b.do("GET "+path+"?next=/a%3Fb=c", nil)
			if a.status != 200 || !strings.Contains(a.body, `name="next" value="/a?b=c"`) {
				t.Fatalf("%s: %d %s", path, a.status, a.body)
			}
			form := credentials("alice")
			form.Set("next", "/a?b=c")
			a = b.do("POST "+path, form)
			if a.status != 302 || a.header.Get("Location") != "/a?b=c" {
				t.Fatalf("%s: %d %v %s", path, a.status, a.header, a.body)
			}
			c := a.set
			if c.Name != "sessionid" || c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" ||
				c.SameSite != http.SameSiteLaxMode ||
				!c.Expires.Equal(s.Clock.Now().Add(90*24*time.Hour)) {
				t.Errorf("the cookie is %s", c.Raw)
			}
			me := b.do("GET /json/users/me", nil)
			if me.status != 200 || !strings.Contains(me.body, `"delivery_email":"alice@example.com"`) {
				t.Errorf("%d %s", me.status, me.body)
			}
			if a := b.do("GET "+path+"?next=//evil.example", nil); a.status != 302 || a.header.Get("Location") != "/" {
				t.Errorf("a logged-in user is redirected to %s", a.header.Get("Location"))
			}
		}
		if a := (&browser{s: s}).do("GET /login/else", nil); a.status != 404 {
			t.Errorf("%d", a.status)
		}
		s.Clock.Advance(14*24*time.Hour - time.Second)
		b := login(s, "bob")
		s.Clock.Advance(14*24*time.Hour - time.Second)
		if !b.loggedIn() {
			t.Error("the session ended too early")
		}
		s.Clock.Advance(time.Second)
		if b.loggedIn() {
			t.Error("the session never ends")
		}
	})
}

// Errors do not reveal which input was wrong, and pages of other sites cannot log users in.
func TestRefusedLogins(t *testing.T) {
	s := start(t, "", "")
	s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("mona"))).OK()
	s.Skip()
	texts := map[string]bool{}
	for _, form := range []url.Values{
		{}, {"username": {"alice@example.com"}}, {"username": {"alice@example.com"}, "password": {"wrong"}},
		credentials("nobody"), credentials("mona"),
		{"username": {"bot@example.com"}, "password": {""}}, {"username": {"\x00@example.com"}, "password": {"x"}},
		{"username": {"alice"}, "password": {"x"}},
	} {
		b := &browser{s: s}
		a := b.do("POST /login/", form)
		if a.status != 200 || a.set != nil {
			t.Errorf("%v: %d %s", form, a.status, a.body)
		}
		texts[a.text()] = true
	}
	if len(texts) != 1 {
		t.Errorf("the refusals differ: %v", texts)
	}
	for _, header := range [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}} {
		if a := (&browser{s: s}).do("POST /login/", credentials("alice"), header...); a.status != 403 || a.set != nil {
			t.Errorf("%v: %d %s", header, a.status, a.body)
		}
	}
	link := "/login/?username=alice@example.com&password=" + url.QueryEscape(kittest.Password)
	if a := (&browser{s: s}).do("POST "+link, nil); a.set != nil {
		t.Error("a link logs in")
	}
	s.NoEvents()
}

// If password logins are disabled, users cannot log in with a password, and a logged-in browser gets an API key without
// a password.
func TestWithoutPasswords(t *testing.T) {
	s := start(t, "", "")
	b := login(s, "alice")
	s.Do(func(ctx context.Context) error {
		v, err := s.Ports.Directory.View(ctx, s.Realm)
		if err != nil {
			return err
		}
		now := *v.Realm()
		now.Settings.PasswordAuth = false
		change := directory.OfRealm(v.Realm(), &now)
		return s.Ports.Log.Append(
			ctx,
			kit.Event[kit.None]("realm", "created").To(s.Realm, event.None(), kit.None{}).Changing(change),
		)
	})
	out := &browser{s: s}
	for _, a := range []answer{out.do("GET /login/", nil), out.do("POST /login/", credentials("alice"))} {
		if a.status != 200 || a.set != nil || strings.Contains(a.body, "<form") ||
			strings.Contains(a.body, "/accounts/password/reset/") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := b.act("POST /json/fetch_api_key", nil); a.status != 200 || !strings.Contains(a.body, `"api_key":"`) ||
		strings.Contains(a.body, `"api_key":""`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// Failed logins share a limit with those of POST /fetch_api_key.
func TestTooManyFailures(t *testing.T) {
	s := kittest.StartWith(
		t,
		kittest.Options{Config: "http: {rate_limits: {enabled: true, failed_logins: 2}}"},
		modules...)
	wrong := url.Values{"username": {"ALICE@example.com"}, "password": {"wrong"}}
	if a := (&browser{s: s}).do("POST /accounts/login/", wrong); a.status != 200 {
		t.Errorf("%d", a.status)
	}
	s.Anonymous().
		Do("POST /fetch_api_key", "username", "alice@example.com", "password", "wrong").
		Error(401, "AUTHENTICATION_FAILED", "")
	a := (&browser{s: s}).do("POST /login/", credentials("alice"))
	if a.status != 429 || a.set != nil || !strings.Contains(a.text(), "Please try again in 15 minutes.") ||
		a.header.Get("Retry-After") != "900" {
		t.Errorf("%d %v %s", a.status, a.header, a.text())
	}
	s.Anonymous().
		Do("POST /fetch_api_key", "username", "alice@example.com", "password", kittest.Password).
		Error(429, "RATE_LIMIT_HIT", "")
	login(s, "bob")
	s.Clock.Advance(15 * time.Minute)
	login(s, "alice")
}

// A login starts a new session and ends the previous one.
func TestNewSessionID(t *testing.T) {
	s := start(t, "", "")
	b := login(s, "alice")
	before := *b
	if a := b.do("POST /login/", credentials("bob")); a.status != 302 || b.cookie == before.cookie {
		t.Fatalf("%d %s", a.status, b.cookie)
	}
	if before.loggedIn() || !b.loggedIn() {
		t.Error("the previous session continues, or the new one is invalid")
	}
	for _, cookie := range []string{
		"", "x", b.cookie + "x", b.cookie[:len(b.cookie)-1], "1.AAAAAAAAAAAAAAAAAAAAAAAAAA", "999." + b.cookie[2:],
	} {
		if (&browser{s, cookie}).loggedIn() {
			t.Errorf("%q was accepted as a session", cookie)
		}
	}
}

func TestLogout(t *testing.T) {
	s := start(t, "", "")
	b, other := login(s, "alice"), login(s, "alice")
	for _, a := range []answer{
		b.do("POST /accounts/logout/", nil),
		b.do("POST /accounts/logout/", url.Values{"csrfmiddlewaretoken": {session.CSRF(other.cookie)}}),
		b.do("POST /accounts/logout/", url.Values{"csrfmiddlewaretoken": {session.CSRF(b.cookie)}},
			"Origin", "https://evil.example"),
	} {
		if a.status != 403 || !b.loggedIn() {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	page := b.do("GET /accounts/logout/", nil)
	if page.status != 200 || !strings.Contains(page.body, `value="`+session.CSRF(b.cookie)+`"`) {
		t.Errorf("%d %s", page.status, page.body)
	}
	old := *b
	a := b.do("POST /accounts/logout/", url.Values{"csrfmiddlewaretoken": {session.CSRF(b.cookie)}})
	if a.status != 302 || a.header.Get("Location") != "/login/" || a.set == nil || a.set.MaxAge >= 0 || old.loggedIn() ||
		!other.loggedIn() {
		t.Errorf("%d %v", a.status, a.header)
	}
	if a := old.do("POST /accounts/logout/", nil); a.status != 302 || a.header.Get("Location") != "/login/" {
		t.Errorf("a second time: %d %s", a.status, a.body)
	}
	if a := other.act("POST /accounts/logout/", nil); a.status != 302 {
		t.Errorf("by header: %d %s", a.status, a.body)
	}
}

// A logged-in browser gets an API key if it sends the password.
func TestOwnKey(t *testing.T) {
	s := start(t, "", "")
	b := login(s, "alice")
	a := b.act("POST /json/fetch_api_key", url.Values{"password": {kittest.Password}})
	if a.status != 200 || !strings.Contains(a.body, `"email":"alice@example.com"`) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for _, form := range []url.Values{nil, {"password": {"wrong"}}} {
		if a := b.act("POST /json/fetch_api_key", form); a.status != 400 || !strings.Contains(a.body, "BAD_REQUEST") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := b.do("POST /json/fetch_api_key", url.Values{"password": {kittest.Password}}); a.status != 403 {
		t.Errorf("without the token: %d %s", a.status, a.body)
	}
	s.As("alice").Under("").Do("POST /json/fetch_api_key", "password", kittest.Password).Error(401, "UNAUTHORIZED", "")
}

// The join date of a user created by an administrator is that of the first login.
func TestFirstLogin(t *testing.T) {
	s := start(t, "", "")
	id := s.As("olga").
		Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password", kittest.Password).
		OK().
		Int("user_id")
	s.Clock.Advance(24 * time.Hour)
	login(s, "nina")
	got := s.As("bob").Do("GET /users/" + kittest.JSON(id)).OK().String("user.date_joined")
	if got != "2026-06-02T12:00+00:00" {
		t.Errorf("joined at %s", got)
	}
}

func TestClientOfSession(t *testing.T) {
	s := start(t, "", "")
	b := login(s, "alice")
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11)": "website", "curl/8": "website", "ZulipElectron/5.9.0 (Linux)": "ZulipElectron",
	} {
		form := url.Values{"type": {"channel"}, "to": {`"general"`}, "topic": {"t"}, "content": {"x"}}
		a := b.do("POST /json/messages", form, "X-CSRFToken", session.CSRF(b.cookie), "User-Agent", agent)
		if a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		got := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "1").OK().String("messages.0.client")
		if got != want {
			t.Errorf("%s is %s, want %s", agent, got, want)
		}
	}
}

// A user who joins through an invitation is logged in immediately if the browser uses the organization's own host name.
func TestJoinLogsIn(t *testing.T) {
	s := start(t, "", "")
	s.Clock.Advance(4 * 24 * time.Hour)
	link := s.As("olga").Do("POST /invites/multiuse", "stream_ids", "[]").OK().String("invite_link")
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{s: s}
	a := b.do(
		"POST "+u.Path,
		url.Values{"email": {"new@example.com"}, "full_name": {"New"}, "password": {kittest.Password}},
	)
	if a.status != 302 || a.header.Get("Location") != "/" || !b.loggedIn() {
		t.Fatalf("%d %s", a.status, a.body)
	}
	home := b.do("GET /", nil)
	if !strings.Contains(home.text(), "You are logged in with this browser as New") {
		t.Errorf("%s", home.text())
	}
	if a := (&browser{s: s}).do("GET /", nil); !strings.Contains(a.body, `action="/login/"`) {
		t.Errorf("%s", a.body)
	}
}
