package confirmations_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// In realms that share a server, a link leads to its own realm and changes only the account there, not one with the
// same address in another realm.
func TestSeveralRealms(t *testing.T) {
	f := &mailtest.Fake{}
	s := server{kittest.StartWith(t, kittest.Options{
		Config: "http: {url: https://127.0.0.1, rate_limits: {enabled: false}}\nmodules: {realm: {domain: 127.0.0.1}}",
	}, modules(f.Module())...), f}
	var key string
	s.Do(func(ctx context.Context) error {
		id, err := s.Ports.Realms.Create(ctx, "Cynics", "cynics")
		if err != nil {
			return err
		}
		by := user.Actor{Realm: id, System: true}
		alice, err := s.Ports.Accounts.Create(ctx, by, ports.NewUser{Email: "alice@example.com", FullName: "Alice",
			Role: user.Owner})
		if err != nil {
			return err
		}
		key, err = s.Ports.Accounts.IssueKey(ctx, by, alice)
		return err
	})
	const cynics, host = "https://cynics.127.0.0.1", "cynics.127.0.0.1"
	path := func(to string) string {
		t.Helper()
		got := s.sent()
		if len(got) != 1 || got[0].To != to || !strings.Contains(got[0].Text, "Cynics, at "+cynics+".") {
			t.Fatalf("%+v", got)
		}
		at := strings.Index(got[0].Text, cynics+"/accounts/")
		if at < 0 || strings.Contains(got[0].Text, "https://127") {
			t.Fatalf("%s", got[0].Text)
		}
		return strings.Fields(got[0].Text[at:])[0][len(cynics):]
	}
	if status, _, body := s.Page("POST", resetPath, url.Values{"email": {"alice@example.com"}}, "Host",
		host); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	reset := path("alice@example.com")
	if status, _, body := s.Page("POST", reset, password(newPassword), "Host", host); status != 200 ||
		!strings.Contains(body, cynics+"<") {
		t.Errorf("%d %s", status, body)
	}
	s.login("alice@example.com", newPassword).Error(401, "AUTHENTICATION_FAILED", "")
	s.As("alice").Do("GET /users/me").OK()
	s.WithKey("alice@example.com", key).At(host).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	key = s.Anonymous().At(host).Do("POST /fetch_api_key", "username", "alice@example.com", "password",
		newPassword).OK().String("api_key")
	// This address is taken in the other realm.
	s.WithKey("alice@example.com", key).At(host).Do("PATCH /settings", "email", "bob@example.com").OK()
	s.want("POST", path("bob@example.com"), nil, 200, "in Cynics")
	s.WithKey("bob@example.com", key).At(host).Do("GET /users/me").OK()
	s.As("alice").Do("GET /users/me").OK()
	if status, _, body := s.Page("GET", resetPath, nil, "Host", "nobody.127.0.0.1"); status != 404 ||
		strings.Contains(body, "<form") {
		t.Errorf("%d %s", status, body)
	}
}
