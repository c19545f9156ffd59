package intranet_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/party/intranet"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/sessions"
)

const (
	key    = "0123456789abcdef0123456789abcdef"
	path   = "/accounts/login/intranet"
	config = "modules: {intranet: {url: 'https://intranet.example.com/chat', key: " + key + "}}"
)

var others = []kit.Module{realm.Module, accounts.Module, groups.Module, channels.Module, sessions.Module}

func TestModule(t *testing.T) { kittest.Check(t, intranet.Module, others...) }

func start(t *testing.T, config string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{Config: config}, append([]kit.Module{intranet.Module}, others...)...)
}

// begun is a browser that was sent to the intranet.
type begun struct{ state, cookie string }

func begin(s *kittest.Server) begun {
	s.T.Helper()
	_, h, _ := s.Page("GET", path, nil)
	cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	_, state, _ := strings.Cut(cookie, "=")
	return begun{state, cookie}
}

// link returns the path of the link with which the intranet sends the browser back.
func (b begun) link(s *kittest.Server, key, email, more string) string {
	q := intranet.Ticket(key, b.state, email, s.Clock.Now())
	q.Set("state", b.state)
	return path + "?" + q.Encode() + more
}

// TestLogin follows the button on the login page to the intranet and back, in a browser and in apps.
func TestLogin(t *testing.T) {
	s := start(t, config)
	_, _, body := s.Page("GET", "/login/", nil)
	if !strings.Contains(body, `href="`+path+`?next=%2f"`) || !strings.Contains(body, "Log in with the intranet") {
		t.Errorf("the login page has no button: %s", body)
	}
	settings := s.Anonymous().Do("GET /server_settings").OK()
	if got := settings.String("external_authentication_methods.0.login_url"); got != path {
		t.Errorf("apps are sent to %q", got)
	}
	status, h, _ := s.Page("GET", path+"?next=%2Fa", nil)
	if want := "https://intranet.example.com/chat?back=" + url.QueryEscape(s.URL+path+"?next=%2Fa&state="); status != 302 ||
		!strings.HasPrefix(h.Get("Location"), want) {
		t.Errorf("%d, the browser is sent to %s; want %s", status, h.Get("Location"), want)
	}

	b := begin(s)
	status, h, body = s.Page("GET", b.link(s, key, "alice@example.com", "&next=%2Fa"), nil, "Cookie", b.cookie)
	if status != 302 || h.Get("Location") != "/a" || len(h.Values("Set-Cookie")) == 0 {
		t.Fatalf("%d %v %s", status, h, body)
	}
	cookie, _, _ := strings.Cut(h.Values("Set-Cookie")[0], ";")
	if status, _, body = s.Page("GET", "/login/", nil, "Cookie", cookie); status != 302 {
		t.Errorf("alice is not logged in: %s", body)
	}
	pad := strings.Repeat("ab", 32)
	_, h, _ = s.Page("GET", b.link(s, key, "alice@example.com", "&mobile_flow_otp="+pad), nil, "Cookie", b.cookie)
	if !strings.HasPrefix(h.Get("Location"), "zulip://login?email=alice%40example.com") {
		t.Errorf("the mobile app is opened with %s", h.Get("Location"))
	}
	_, _, body = s.Page("GET", b.link(s, key, "alice@example.com", "&desktop_flow_otp="+pad), nil, "Cookie", b.cookie)
	if !strings.Contains(body, "Copy this code") {
		t.Errorf("the desktop app gets no code: %s", body)
	}
}

// TestRefused checks that nobody logs in with a ticket that is forged, old or for another browser, or for an account
// that may not.
func TestRefused(t *testing.T) {
	s := start(t, config)
	b, other := begin(s), begin(s)
	old := b.link(s, key, "alice@example.com", "")
	const elsewhere = "This login did not begin in this browser."
	for _, c := range []struct{ link, cookie, want string }{
		{strings.Replace(old, "alice", "olga", 1), b.cookie, "This link is invalid."},
		{b.link(s, strings.Repeat("x", 32), "alice@example.com", ""), b.cookie, "This link is invalid."},
		{path + "?ticket=&state=" + b.state, b.cookie, "This link is invalid."},
		{b.link(s, key, "nobody@example.com", ""), b.cookie, "There is no account with this address."},
		{b.link(s, key, "bot@example.com", ""), b.cookie, "There is no account with this address."},
		{path + "?mobile_flow_otp=1", "", "must have 64 hexadecimal digits"},
		{old, "", elsewhere},
		{old, other.cookie, elsewhere},
		{strings.Replace(old, b.state, other.state, 1), other.cookie, "This link is invalid."},
	} {
		status, h, body := s.Page("GET", c.link, nil, "Cookie", c.cookie)
		if status != 400 || h.Get("Set-Cookie") != "" || !strings.Contains(body, c.want) {
			t.Errorf("%s with %s: %d %s", c.link, c.cookie, status, body)
		}
	}
	s.Clock.Advance(2 * time.Minute)
	if status, _, _ := s.Page("GET", old, nil, "Cookie", b.cookie); status != 400 {
		t.Errorf("after two minutes: %d", status)
	}
	s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("bob"))).OK()
	status, h, _ := s.Page("GET", b.link(s, key, "bob@example.com", ""), nil, "Cookie", b.cookie)
	if status != 400 || h.Get("Set-Cookie") != "" {
		t.Errorf("a deactivated account logs in: %d", status)
	}
}

// TestLimits checks the module's own rate limit, that the operator can change it, and the networks.
func TestLimits(t *testing.T) {
	s := start(t, config+"\nhttp: {rate_limits: {classes: {intranet.logins: {per_user: 2}}}}")
	for i, want := range []int{302, 302, 429} {
		if status, _, _ := s.Page("GET", path, nil); status != want {
			t.Errorf("request %d: %d, want %d", i, status, want)
		}
	}
	s.Anonymous().Do("GET /server_settings").OK()

	s = start(t, strings.Replace(config, "key:", "networks: [10.0.0.0/8], key:", 1))
	if status, _, body := s.Page("GET", path, nil); status != 400 ||
		!strings.Contains(body, "This login works only in the organization") {
		t.Errorf("from another network: %d %s", status, body)
	}
	s.Anonymous().Do("GET /server_settings").OK()
}

// TestOff checks that nothing of the login shows if the module is left out or has no URL.
func TestOff(t *testing.T) {
	for name, s := range map[string]*kittest.Server{"left out": kittest.Start(t, others...), "no url": start(t, "")} {
		_, _, body := s.Page("GET", "/login/", nil)
		status, _, _ := s.Page("GET", path, nil)
		methods := kittest.JSON(s.Anonymous().Do("GET /server_settings").OK().Get("external_authentication_methods"))
		if strings.Contains(body, "intranet") || status != 404 || methods != "[]" {
			t.Errorf("%s: %d %s %s", name, status, methods, body)
		}
	}
}
