package invites_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// createSecondRealm creates a second realm and returns its owner.
func (s server) createSecondRealm() *kittest.Client {
	s.T.Helper()
	var key string
	s.Do(func(ctx context.Context) error {
		id, err := s.Ports.Realms.Create(ctx, "Cynics", "cynics")
		if err != nil {
			return err
		}
		by := user.Actor{Realm: id, System: true}
		owner, err := s.Ports.Accounts.Create(ctx, by,
			ports.NewUser{Email: "dio@example.com", FullName: "Dio", Role: user.Owner})
		if err != nil {
			return err
		}
		key, err = s.Ports.Accounts.IssueKey(ctx, by, owner)
		return err
	})
	return s.WithKey("dio@example.com", key).At("cynics.127.0.0.1")
}

// If several realms share a server, links of invitations point to their own realm, and cannot be used in another.
func TestSeveralRealms(t *testing.T) {
	f := &mailtest.Fake{}
	s := server{kittest.StartWith(t, kittest.Options{
		Config: "http: {url: https://127.0.0.1, rate_limits: {enabled: false}}\nmodules: {realm: {domain: 127.0.0.1}}",
	}, modules(f.Module())...), f}
	s.endWaitingPeriod()
	dio := s.createSecondRealm()
	dio.Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").OK()
	if a := dio.Do("POST /invites/multiuse").OK(); !strings.HasPrefix(a.String("invite_link"),
		"https://cynics.127.0.0.1/join/") {
		t.Error(a.Body)
	}
	m := s.sent()[0]
	at := strings.Index(m.Text, "https://cynics.127.0.0.1/accounts/do_confirm/")
	if at < 0 || strings.Contains(m.Text, "https://127") {
		t.Fatalf("%s", m.Text)
	}
	path := strings.Fields(m.Text[at:])[0][len("https://cynics.127.0.0.1"):]
	if got := s.list("olga"); len(got) != 0 {
		t.Errorf("an owner of another realm sees %v", got)
	}
	for _, c := range []string{"DELETE /invites/1", "POST /invites/1/resend", "DELETE /invites/multiuse/2"} {
		s.As("olga").Do(c).Error(400, "BAD_REQUEST", "No such invitation")
	}
	status, _, body := s.Page("POST", path, url.Values{"full_name": {"Eve"}, "password": {password}}, "Host",
		"cynics.127.0.0.1")
	if status != 200 || !strings.Contains(body, "Welcome to Cynics") ||
		!strings.Contains(body, "https://cynics.127.0.0.1<") {
		t.Errorf("%d %s", status, body)
	}
	if got := s.people(); got != 7 {
		t.Errorf("the other realm has %d users", got)
	}
	if status, _, body := s.Page("GET", "/register/", nil, "Host", "nobody.127.0.0.1"); status != 404 ||
		strings.Contains(body, "<form") {
		t.Errorf("%d %s", status, body)
	}
}

// The limit on mails per source is shared by all realms.
func TestSourceLimitOfAllRealms(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, db string) {
		f := &mailtest.Fake{}
		s := server{kittest.StartWith(t, kittest.Options{
			DatabaseURL: db,
			Config: "http: {url: https://127.0.0.1, rate_limits: {enabled: false}}\n" +
				"modules: {realm: {domain: 127.0.0.1}, invites: {daily_per_source: 3, daily_per_source_with_link: 5, " +
				"daily_confirmations: 6}}",
		}, modules(f.Module())...), f}
		s.endWaitingPeriod()
		dio := s.createSecondRealm()
		dio.Do("PATCH /realm", "invite_required", "false").OK()
		s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
		links := map[string]string{"": s.link("olga"),
			"cynics.127.0.0.1": linked.FindStringSubmatch(dio.Do("POST /invites/multiuse").OK().String("invite_link"))[1]}
		n := 0
		ask := func(host string, byLink bool, want ...int) {
			t.Helper()
			for _, w := range want {
				n++
				params := []string{"email", fmt.Sprintf("a%d@example.org", n)}
				if byLink {
					params = append(params, "key", links[host])
				}
				c := s.Anonymous()
				if host != "" {
					c = c.At(host)
				}
				if a := c.Do("POST /join", params...); a.Status != w {
					t.Errorf("%q: %d %s, want %d", host, a.Status, a.Body, w)
				}
			}
		}
		ask("", false, 200, 200)
		ask("cynics.127.0.0.1", false, 200, 429)
		ask("", false, 429)
		ask("", true, 200)
		ask("cynics.127.0.0.1", true, 200, 429)
		ask("", true, 429)
		if got := s.sent(); len(got) != 5 {
			t.Errorf("%d mails", len(got))
		}
		s.Clock.Advance(24 * time.Hour)
		ask("cynics.127.0.0.1", false, 200)
	})
}
