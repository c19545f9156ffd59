package mailnotify_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/mailnotify"
	"github.com/stoachat/stoa/modules/sessions"
)

// TestLogins checks that users get a mail about logins from a new program or network, in browsers and apps, unless they
// have disabled it.
func TestLogins(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		f := &mailtest.Fake{}
		w := &testServer{kittest.StartWith(t, kittest.Options{
			DatabaseURL: database, Config: "http: {url: https://chat.example.com, trusted_proxies: [127.0.0.1]}",
		}, append(modules(f.Module()), mailnotify.Module, sessions.Module)...), f}
		login := func(agent, from string) string {
			t.Helper()
			form := url.Values{"username": {"bob@example.com"}, "password": {kittest.Password}}
			path := "/api/v1/fetch_api_key"
			if strings.HasPrefix(agent, "Mozilla") {
				path = "/login/"
			}
			status, _, body := w.Page("POST", path, form, "User-Agent", agent, "X-Forwarded-For", from, "Origin", w.URL)
			if status != 200 && status != 302 {
				t.Fatalf("%s: %d %s", path, status, body)
			}
			var all []string
			for _, m := range w.sent() {
				all = append(all, m.Subject+" to "+m.To)
				for _, want := range []string{from, "12:00 UTC", "/accounts/unsubscribe/login/"} {
					if !strings.Contains(m.Text, want) || !strings.Contains(m.HTML, want) {
						t.Errorf("no %q in\n%s\n%s", want, m.Text, m.HTML)
					}
				}
			}
			return strings.Join(all, "; ")
		}
		const firefox, phone = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0",
			"ZulipFlutter/30.0 (Android 15)"
		const toBob = " to bob@example.com"
		if got := login(firefox, "192.0.2.1"); got != "" {
			t.Errorf("the first hour: %s", got)
		}
		w.Clock.Advance(24 * time.Hour)
		for _, c := range []struct{ agent, from, want string }{
			{firefox, "192.0.2.1", ""},
			{strings.Replace(firefox, "140", "141", 1), "192.0.2.99", ""},
			{firefox, "198.51.100.7", "New login to Stoics from Firefox on Linux" + toBob},
			{firefox, "198.51.100.8", ""},
			{phone, "192.0.2.1", "New login to Stoics from ZulipFlutter on Android" + toBob},
			{phone, "192.0.2.1", ""},
			{"curl/8\r\n", "192.0.2.1", "New login to Stoics from curl" + toBob},
		} {
			if got := login(strings.TrimSpace(c.agent), c.from); got != c.want {
				t.Errorf("%s from %s: %q, want %q", c.agent, c.from, got, c.want)
			}
		}
		w.As("bob").Do("PATCH /settings", "enable_login_emails", "false").OK()
		if got := login("wget/1", "192.0.2.1"); got != "" {
			t.Errorf("switched off: %s", got)
		}
		w.As("bob").Do("PATCH /settings", "enable_login_emails", "true").OK()
		if got := login("wget/1", "192.0.2.1"); got != "" {
			t.Errorf("not new any more: %s", got)
		}
		if status, _, _ := w.Page("POST", "/api/v1/fetch_api_key", url.Values{
			"username": {"bob@example.com"}, "password": {"wrong"},
		}, "User-Agent", "lynx/2"); status == 200 {
			t.Fatal("a wrong password")
		}
		if got := w.sent(); len(got) != 0 {
			t.Errorf("a failed login: %+v", got)
		}
	})
}
