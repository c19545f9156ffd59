package confirmations_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/realm"
)

// TestChangeAddress covers the whole process: the email, the page, the change with its events, and the notice to the
// old address.
func TestChangeAddress(t *testing.T) {
	s := start(t)
	id := s.UserID("alice")
	path := s.requestChange("alice", "new@example.org")
	s.NoEvents()
	s.want("GET", path, nil, 200, "<strong>new@example.org</strong>")
	s.want("HEAD", path, nil, 200, "")
	s.want("GET", strings.TrimSuffix(path, "/"), nil, 200, "Your email address in Stoics")
	s.NoEvents() // viewing the page does not confirm
	q := s.As("bob").Register("event_types", `["realm_user"]`)
	s.want("POST", path, nil, 200, "is now <strong>new@example.org</strong>")
	s.Events(
		fmt.Sprintf(`realm_user/update seeing:alice {"email":{"user_id":%d,"moved":true,"was":1,"is":1}}`, id),
		fmt.Sprintf(`realm_user/update seeing:alice {"person":{"user_id":%d,"new_email":"new@example.org"}}`, id),
		fmt.Sprintf(`realm_user/update seeing:alice {"avatar":%d}`, id))
	event := q.Take().Body
	for _, want := range []string{`"delivery_email":"new@example.org"`, `"new_email":"new@example.org"`} {
		if !strings.Contains(event, want) {
			t.Errorf("bob did not receive %s: %s", want, event)
		}
	}
	got := s.sent()
	if len(got) != 1 || got[0].To != "alice@example.com" || strings.Contains(got[0].Text, "new@example.org") ||
		!strings.Contains(got[0].Text, "has been changed") || linkPattern.MatchString(got[0].Text) {
		t.Errorf("the old address: %+v", got)
	}
	s.want("POST", path, nil, 404, notValid)
	s.want("GET", path, nil, 404, notValid)
	s.login("new@example.org", kittest.Password).OK()
	s.login("alice@example.com", kittest.Password).Error(401, "AUTHENTICATION_FAILED", "")
	me := s.WithKey("new@example.org", s.As("alice").Key()).Do("POST /register").OK()
	if me.String("email") != "new@example.org" || me.String("delivery_email") != "new@example.org" {
		t.Errorf("%s, %s", me.String("email"), me.String("delivery_email"))
	}
	s.EventsOf("realm_user")
}

// When a hidden email address changes, only its owner and users allowed to see it receive the event.
func TestChangeHiddenAddress(t *testing.T) {
	s := start(t)
	s.As("alice").Do("PATCH /settings", "email_address_visibility", "3").OK()
	queues := map[string]*kittest.Queue{}
	for _, who := range []string{"alice", "adam", "bob", "guest"} {
		queues[who] = s.As(who).Register("event_types", `["realm_user"]`)
	}
	path := s.requestChange("alice", "new@example.org")
	s.want("POST", path, nil, 200, "now")
	event := fmt.Sprintf(`{"type":"realm_user","op":"update","person":{"user_id":%d,"delivery_email":"new@example.org"}}`,
		s.UserID("alice"))
	for who, queue := range queues {
		if who == "alice" {
			queue.Client = s.WithKey("new@example.org", queue.Key())
		}
		var want []string
		if who == "alice" || who == "adam" {
			want = []string{event}
		}
		queue.Is(want...)
	}
	for _, who := range []string{"bob", "guest"} {
		if body := s.As(who).Do("POST /register").OK().Body + s.As(who).Do("GET /users").Body; strings.Contains(body,
			"new@example.org") {
			t.Errorf("%s sees the address", who)
		}
	}
}

// The link that confirms an address becomes invalid after a later request, after changes of the account, and with time.
func TestAddressLinkInvalidated(t *testing.T) {
	s := start(t)
	invalid := func(name, path string) {
		t.Helper()
		t.Log(name)
		s.want("GET", path, nil, 404, notValid)
		s.want("POST", path, nil, 404, notValid)
	}
	id := fmt.Sprint(s.UserID("alice"))
	first := s.requestChange("alice", "one@example.org")
	second := s.requestChange("alice", "two@example.org")
	invalid("a later one was requested", first)

	s.As("alice").Do("PATCH /settings", "old_password", kittest.Password, "new_password", newPassword).OK()
	invalid("another password", second)

	path := s.requestChange("alice", "three@example.org")
	s.Clock.Advance(24*time.Hour - time.Second)
	s.want("GET", path, nil, 200, "three@example.org")
	s.Clock.Advance(time.Second)
	invalid("expired", path)

	path = s.requestChange("alice", "four@example.org")
	s.As("olga").Do("DELETE /users/" + id).OK()
	invalid("deactivated", path)
	s.As("olga").Do("POST /users/" + id + "/reactivate").OK()
	invalid("reactivated", path)
	s.LogIn("alice")

	path = s.requestChange("alice", "five@example.org")
	s.As("olga").Do("PATCH /users/"+id, "new_email", "alice@example.org").OK()
	invalid("an owner was quicker", path)
	if got := s.sent(); len(got) != 1 || got[0].To != "alice@example.com" {
		t.Errorf("the notice: %+v", got)
	}
	s.As("olga").Do("PATCH /users/"+id, "new_email", "alice@example.com").OK()
	s.sent()

	path = s.requestChange("alice", "six@example.org")
	s.RunJob("confirmations.forget_confirmations")
	s.want("GET", path, nil, 200, "six@example.org")
	s.setDeactivated(true)
	invalid("the realm is deactivated", path)
	s.setDeactivated(false)
	s.want("POST", path, nil, 200, "now")
	s.Clock.Advance(8 * 24 * time.Hour)
	s.RunJob("confirmations.forget_confirmations")
	invalid("forgotten", path)
}

// setDeactivated deactivates or reactivates the realm.
func (s server) setDeactivated(deactivated bool) {
	s.T.Helper()
	do := s.Ports.States.Reactivate
	if deactivated {
		do = func(ctx context.Context, r realm.ID) error { return s.Ports.States.Deactivate(ctx, r, nil) }
	}
	if err := do(s.T.Context(), s.Realm); err != nil {
		s.T.Fatal(err)
	}
}

// The rules for email addresses are checked again when the change is confirmed. If they forbid it now, nothing changes,
// and the link stays valid.
func TestAddressRulesAtConfirmation(t *testing.T) {
	s := start(t)
	set := func(name, value string) { s.As("olga").Do("PATCH /realm", name, value).OK() }
	path := s.requestChange("alice", "new+x@example.org")
	refused := func(text string) {
		t.Helper()
		s.Skip()
		s.want("GET", path, nil, 400, text)
		s.want("POST", path, nil, 400, text)
		s.NoEvents()
	}
	set("email_changes_disabled", "true")
	refused("Email address changes are disabled in this organization.")
	set("email_changes_disabled", "false")
	s.As("olga").Do("POST /realm/domains", "domain", "example.com", "allow_subdomains", "false").OK()
	set("emails_restricted_to_domains", "true")
	refused("Email addresses containing &#43; are not allowed.")
	set("emails_restricted_to_domains", "false")
	s.As("olga").Do("POST /users", "email", "New+x@example.org", "full_name", "New", "password", newPassword).OK()
	refused("There is already an account with the address new&#43;x@example.org.")
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.login("new+x@example.org", newPassword).Int("user_id")), "new_email",
		"other@example.org").OK()
	s.Skip()
	s.want("POST", path, nil, 200, "now")

	s.sent()
	path = s.requestChange("adam", "adam@example.org")
	set("email_changes_disabled", "true")
	s.want("GET", path, nil, 200, "adam@example.org") // administrators are still allowed to
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("adam")), "role", "400").OK()
	refused("Email address changes are disabled")
}

// If the address belongs to a user whom the caller is not allowed to see, the response does not reveal that; only an
// email to the address does.
func TestAddressOfHiddenUser(t *testing.T) {
	s := start(t)
	s.As("alice").Do("PATCH /settings", "email", "bob@example.com").Error(400, "BAD_REQUEST",
		"Email 'bob@example.com' already in use")
	s.As("bob").Do("PATCH /settings", "email_address_visibility", "4").OK()
	s.As("alice").Do("PATCH /settings", "email", "Bob@Example.com").Is(200, `{"result":"success","msg":""}`)
	got := s.sent()
	if len(got) != 1 || got[0].To != "Bob@Example.com" || linkPattern.MatchString(got[0].Text) ||
		!strings.Contains(got[0].Text, "There is already an account with this address.") {
		t.Errorf("%+v", got)
	}
}

// Users can change the case of their own address.
func TestCaseOfAddress(t *testing.T) {
	s := start(t)
	s.want("POST", s.requestChange("alice", "Alice@Example.com"), nil, 200, "Alice@Example.com")
	if got := s.sent(); len(got) != 0 {
		t.Errorf("the same mailbox was notified: %+v", got)
	}
	if got := s.As("alice").Do("GET /users/me").String("delivery_email"); got != "Alice@Example.com" {
		t.Error(got)
	}
}

// If one parameter is invalid, the whole request is rejected and no email is sent. The number of emails is limited.
func TestAddressLimits(t *testing.T) {
	s := start(t, "daily_per_source: 7")
	ask := func(who, email string, more ...string) *kittest.Response {
		return s.As(who).Do("PATCH /settings", append([]string{"email", email}, more...)...)
	}
	ask("alice", "a@example.org", "color_scheme", "77").Error(400, "BAD_REQUEST", "")
	if got := s.sent(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	ask("alice", "a@example.org").OK()
	s.Clock.Advance(20 * time.Minute)
	ask("alice", "b@example.org").OK()
	a := ask("alice", "c@example.org", "enter_sends", "true").Error(429, "RATE_LIMIT_HIT", "")
	if wait := a.Get("retry-after"); fmt.Sprint(wait) != "2400" || a.Header.Get("Retry-After") == "" {
		t.Errorf("%v, %q", wait, a.Header.Get("Retry-After"))
	}
	if got := s.sent(); len(got) != 1 || got[0].To != "b@example.org" { // the first one was superseded before it was sent
		t.Errorf("%+v", got)
	}
	ask("bob", "c@example.org").OK()
	for range 3 { // five per day
		s.Clock.Advance(time.Hour)
		ask("alice", "c@example.org").OK()
	}
	s.Clock.Advance(time.Hour)
	s.Restart()
	ask("alice", "c@example.org").Error(429, "RATE_LIMIT_HIT", "")
	ask("bob", "d@example.org").OK()
	ask("mona", "m@example.org").Error(429, "RATE_LIMIT_HIT", "") // the limit of this source
	s.want("POST", resetPath, map[string][]string{"email": {"mona@example.com"}}, 429, "Too many emails")
	s.Clock.Advance(24 * time.Hour)
	s.RunJob("confirmations.forget_confirmations")
	ask("alice", "e@example.org").OK()
}
