package realm_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

func TestDomains(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, realm.Module, accounts.Module, channels.Module,
			events.Module)
		olga := s.As("olga")
		list := func() string {
			t.Helper()
			got := kittest.JSON(s.As("guest").Do("GET /realm/domains").OK().Get("domains"))
			reg := s.As("bot").Do("POST /register", "event_types", `["realm_domains"]`, "fetch_event_types",
				`["realm_domains"]`).OK()
			if of := kittest.JSON(reg.Get("realm_domains")); of != got {
				t.Errorf("register has %s, the list %s", of, got)
			}
			return got
		}
		wants := func(want string) {
			t.Helper()
			if got := list(); got != want {
				t.Errorf("domains %s, want %s", got, want)
			}
		}
		wants("[]")
		s.Skip()
		olga.Do("POST /realm/domains", "domain", " Example.COM ", "allow_subdomains", "false").Is(200,
			`{"result":"success","msg":"","new_domain":[1,"example.com"]}`)
		s.Events(`realm_domains/add everyone {"realm_domain":{"domain":"example.com","allow_subdomains":false}}`)
		olga.Do("POST /realm/domains", "domain", "b.org", "allow_subdomains", "true").Is(200,
			`{"result":"success","msg":"","new_domain":[2,"b.org"]}`)
		s.Skip()
		const both = `[{"allow_subdomains":false,"domain":"example.com"},{"allow_subdomains":true,"domain":"b.org"}]`
		wants(both)

		// Refused requests change nothing.
		for _, who := range []string{"adam", "mona", "alice", "guest", "bot"} {
			s.As(who).Do("POST /realm/domains", "domain", "c.org", "allow_subdomains", "true").Error(400,
				"UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
			s.As(who).Do("PATCH /realm/domains/b.org", "allow_subdomains", "false").Error(400, "UNAUTHORIZED_PRINCIPAL",
				"Must be an organization owner")
			s.As(who).Do("DELETE /realm/domains/b.org").Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
		}
		s.Anonymous().Do("GET /realm/domains").Error(401, "UNAUTHORIZED", "Not logged in")
		olga.Do("POST /realm/domains", "domain", "EXAMPLE.com", "allow_subdomains", "true").Error(400, "BAD_REQUEST",
			"The domain example.com is already allowed.")
		olga.Do("POST /realm/domains", "domain", "localhost", "allow_subdomains", "true").Error(400, "BAD_REQUEST",
			"Domain must have at least one dot (.)")
		olga.Do("POST /realm/domains", "domain", "c.org").Error(400, "REQUEST_VARIABLE_MISSING",
			"Missing 'allow_subdomains' argument")
		olga.Do("POST /realm/domains", "allow_subdomains", "true").Error(400, "REQUEST_VARIABLE_MISSING",
			"Missing 'domain' argument")
		for _, call := range []string{"PATCH", "DELETE"} {
			olga.Do(call+" /realm/domains/c.org", "allow_subdomains", "true").Error(400, "BAD_REQUEST",
				"No entry found for domain c.org.")
		}
		s.NoEvents()
		wants(both)

		// Which users can be created.
		make := func(email string) *kittest.Response {
			return s.As("adam").Do("POST /users", "email", email, "full_name", "N", "password", kittest.Password)
		}
		make("one@c.org").OK()
		olga.Do("PATCH /realm", "emails_restricted_to_domains", "true").OK()
		s.Skip()
		make("two@c.org").Error(400, "BAD_REQUEST", "Email addresses of c.org are not allowed in this organization.")
		make("two@x.example.com").Error(400, "BAD_REQUEST",
			"Email addresses of x.example.com are not allowed in this organization.")
		make("two+x@example.com").Error(400, "BAD_REQUEST", "Email addresses containing + are not allowed.")
		s.NoEvents()
		make("two@Example.com").OK()
		make("two@x.b.org").OK()

		olga.Do("PATCH /realm/domains/Example.com", "allow_subdomains", "true").OK()
		s.Skip()
		olga.Do("PATCH /realm/domains/example.com", "allow_subdomains", "true").OK()
		s.NoEvents()
		olga.Do("PATCH /realm/domains/b.org", "allow_subdomains", "false").OK()
		s.Events(`realm_domains/change everyone {"realm_domain":{"domain":"b.org","allow_subdomains":false}}`)
		make("three@x.b.org").Error(400, "BAD_REQUEST", "Email addresses of x.b.org are not allowed in this organization.")
		make("three@x.example.com").OK()

		// Deleting the last domain lifts the restriction.
		s.Skip()
		olga.Do("DELETE /realm/domains/b.org").OK()
		s.Events(`realm_domains/remove everyone {"domain":"b.org"}`)
		s.Restart()
		wants(`[{"allow_subdomains":true,"domain":"example.com"}]`)
		s.Skip()
		olga.Do("DELETE /realm/domains/example.com").OK()
		s.Events(`realm_domains/remove everyone {"domain":"example.com"}`,
			`realm/update everyone {"property":"emails_restricted_to_domains","value":false}`)
		make("four@c.org").OK()
		olga.Do("POST /realm/domains", "domain", "c.org", "allow_subdomains", "true").Is(200,
			fmt.Sprintf(`{"result":"success","msg":"","new_domain":[%d,"c.org"]}`, 3))
	})
}

func TestDisposableAddresses(t *testing.T) {
	s := start(t)
	olga := s.As("olga")
	add := func(email string) *kittest.Response {
		return olga.Do("POST /users", "email", email, "full_name", "X", "password", kittest.Password)
	}
	add("x@mailinator.com").Error(400, "BAD_REQUEST", "Disposable")
	s.NoEvents()
	add("x@example.org").OK()
	olga.Do("PATCH /realm", "disallow_disposable_email_addresses", "false").OK()
	add("x@mailinator.com").OK()
}
