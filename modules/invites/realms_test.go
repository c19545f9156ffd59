package invites_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/smtpmail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Realms that share a server: invitations lead to each one's own name, and into no other.
func TestSeveralRealms(t *testing.T) {
	f := &mailtest.Fake{}
	s := server{kittest.StartWith(t, kittest.Options{
		Config: "http: {url: https://127.0.0.1, rate_limits: {enabled: false}}\nmodules: {realm: {domain: 127.0.0.1}}",
	}, modules(f.Module())...), f}
	s.settle()
	var key string
	s.Do(func(ctx context.Context) error {
		id, err := s.Ports.Realms.Create(ctx, "Cynics", "cynics")
		if err != nil {
			return err
		}
		by := user.Actor{Realm: id, System: true}
		owner, err := s.Ports.Accounts.Create(ctx, by, ports.NewUser{Email: "dio@example.com", FullName: "Dio", Role: user.Owner})
		if err != nil {
			return err
		}
		key, err = s.Ports.Accounts.IssueKey(ctx, by, owner)
		return err
	})
	dio := s.WithKey("dio@example.com", key).At("cynics.127.0.0.1")
	dio.Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").OK()
	if a := dio.Do("POST /invites/multiuse").OK(); !strings.HasPrefix(a.String("invite_link"), "https://cynics.127.0.0.1/join/") {
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
	status, _, body := s.Page("POST", path, url.Values{"full_name": {"Eve"}, "password": {password}}, "Host", "cynics.127.0.0.1")
	if status != 200 || !strings.Contains(body, "Welcome to Cynics") || !strings.Contains(body, "https://cynics.127.0.0.1<") {
		t.Errorf("%d %s", status, body)
	}
	if got := s.people(); got != 7 {
		t.Errorf("%d people in the other realm", got)
	}
	if status, _, body := s.Page("GET", "/register/", nil, "Host", "nobody.127.0.0.1"); status != 404 || strings.Contains(body, "<form") {
		t.Errorf("%d %s", status, body)
	}
}
