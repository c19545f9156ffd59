package confirmations_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
)

// Resetting a password revokes all of the user's API keys, and no others.
func TestForgottenPassword(t *testing.T) {
	s := start(t)
	key := s.login("alice@example.com", kittest.Password).OK().String("api_key")
	s.Skip()
	s.want("GET", "/accounts/password/reset", nil, 200, `name="email"`)
	path := s.requestReset("alice@example.com")
	s.want("GET", path, nil, 200, `value="alice@example.com"`)
	s.want("HEAD", path, nil, 200, "")
	s.NoEvents()
	for p, why := range map[string]string{"": "at least 8", "x": "at least 8", "alice": "at least 8",
		"password":                  "too easy to guess",
		strings.Repeat("long ", 30): "too long"} {
		body := s.want("POST", path, password(p), 400, why)
		if p != "" && p != "password" && strings.Contains(body, `value="`+p+`"`) {
			t.Errorf("the page repeats the password: %s", body)
		}
	}
	s.want("POST", path+"?password="+url.QueryEscape(newPassword), nil, 400, "at least 8") // no password in the URL
	s.NoEvents()
	s.As("alice").Do("GET /users/me").OK()
	s.want("POST", path, password(newPassword), 200, "you have been logged out everywhere")
	s.Events(`user/keys nobody {}`)
	s.login("alice@example.com", kittest.Password).Error(401, "AUTHENTICATION_FAILED", "")
	s.As("alice").Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	s.WithKey("alice@example.com", key).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	s.As("bob").Do("GET /users/me").OK()
	s.As("bot").Do("GET /users/me").OK() // a bot of alice's
	s.want("POST", path, password("yet another one"), 404, notValid)
	s.Restart()
	now := s.login("alice@example.com", newPassword).OK().String("api_key")
	s.WithKey("alice@example.com", now).Do("GET /users/me").OK()
}

// Neither the page nor the database reveals whether an account exists, and unknown addresses get no email.
func TestResetRevealsNoAccounts(t *testing.T) {
	s := start(t)
	gone := fmt.Sprintf("/users/%d", s.UserID("mona"))
	s.As("olga").Do("DELETE " + gone).OK()
	s.Skip()
	const stored = "SELECT kind, user_id, ended_at FROM confirmations ORDER BY id"
	var pages []string
	for _, email := range []string{"alice@example.com", "nobody@example.com", "mona@example.com", "bot@example.com",
		"notification-bot@stoa.invalid"} {
		_, h, body := s.Page("POST", resetPath, url.Values{"email": {email}})
		secure(t, h, body)
		pages = append(pages, strings.ReplaceAll(body, email, "X"))
	}
	for _, p := range pages {
		if p != pages[0] || !strings.Contains(p, "If there is an account with the address <strong>X</strong>") {
			t.Errorf("%s\nis not\n%s", p, pages[0])
		}
	}
	rows := s.rows(stored)
	for _, r := range rows {
		if r != rows[0] {
			t.Errorf("stored: %v", rows)
		}
	}
	if len(rows) != 5 {
		t.Errorf("stored: %v", rows)
	}
	if got := s.sent(); len(got) != 1 || got[0].To != "alice@example.com" {
		t.Errorf("%+v", got)
	}
	s.NoEvents()
	// Limits apply per address, whether or not it has an account.
	l := start(t, "daily_per_source: 1000")
	for _, email := range []string{"alice@example.com", "nobody@example.com", "ALICE@example.com", "Nobody@example.com"} {
		l.want("POST", resetPath, url.Values{"email": {email}}, 200, "If there is")
	}
	for _, email := range []string{"Alice@example.com", "nobody@example.com"} {
		l.want("POST", resetPath, url.Values{"email": {email}}, 429, "Too many emails")
	}
	l.want("POST", resetPath, url.Values{"email": {"bob@example.com"}}, 200, "If there is")
	l.Clock.Advance(time.Hour)
	l.want("POST", resetPath, url.Values{"email": {"alice@example.com"}}, 200, "If there is")
}

func (s server) rows(query string) []string {
	s.T.Helper()
	rows, err := s.App.DB().From(s.T.Context()).QueryContext(s.T.Context(), query)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	names, _ := rows.Columns()
	var out []string
	for rows.Next() {
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			s.T.Fatal(err)
		}
		text := ""
		for _, v := range values {
			v := *v.(*any)
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			text += fmt.Sprintf("%v ", v)
		}
		out = append(out, text)
	}
	return out
}

func TestPasswordLinkInvalidated(t *testing.T) {
	s := start(t)
	id := fmt.Sprint(s.UserID("alice"))
	invalid := func(name, path string) {
		t.Helper()
		t.Log(name)
		s.want("GET", path, nil, 404, notValid)
		s.want("POST", path, password(newPassword), 404, notValid)
	}
	first, second := s.requestReset("alice@example.com"), s.requestReset("alice@example.com")
	s.want("POST", second, password(newPassword), 200, "has been changed")
	invalid("another was used", first)
	alice := s.WithKey("alice@example.com", s.login("alice@example.com", newPassword).String("api_key"))

	path := s.requestReset("alice@example.com")
	alice.Do("PATCH /settings", "old_password", newPassword, "new_password", "one two three").OK()
	invalid("another password", path)

	path = s.requestReset("alice@example.com")
	s.Clock.Advance(2*time.Hour - time.Second)
	s.want("GET", path, nil, 200, "New password")
	s.Clock.Advance(time.Second)
	invalid("expired", path)

	path = s.requestReset("alice@example.com")
	s.As("olga").Do("DELETE /users/" + id).OK()
	invalid("deactivated", path)
	s.As("olga").Do("POST /users/" + id + "/reactivate").OK()
	invalid("reactivated", path)

	path = s.requestReset("alice@example.com")
	s.As("olga").Do("PATCH /users/"+id, "new_email", "alice@example.org").OK()
	invalid("another address", path)
	s.As("olga").Do("PATCH /users/"+id, "new_email", "alice@example.com").OK()
	invalid("the address as before", path)
	s.sent()

	path = s.requestReset("alice@example.com")
	s.passwords(false)
	for _, p := range []string{path, resetPath} {
		s.want("GET", p, nil, 400, "Password authentication is disabled")
		s.want("POST", p, url.Values{"password": {newPassword}, "email": {"bob@example.com"}}, 400,
			"Password authentication is disabled")
	}
	s.passwords(true)
	s.setDeactivated(true)
	s.want("GET", path, nil, 404, "This organization has been deactivated.")
	s.want("POST", path, password(newPassword), 404, "This organization has been deactivated.")
	s.want("POST", resetPath, url.Values{"email": {"alice@example.com"}}, 404, "This organization has been deactivated.")
	s.setDeactivated(false)
	s.want("POST", path, password(newPassword), 200, "has been changed")

	change := s.requestChange("bob", "bob@example.org")
	s.want("POST", s.requestReset("bob@example.com"), password(newPassword), 200, "has been changed")
	invalid("a change of address requested before a new password", change)
}

// passwords enables or disables password logins directly in the database.
func (s server) passwords(on bool) {
	s.Do(func(ctx context.Context) error {
		v, err := s.Ports.Directory.View(ctx, s.Realm)
		if err != nil {
			return err
		}
		now := *v.Realm()
		now.Settings.PasswordAuth = on
		e := kit.Event[kit.None]("realm", "created").To(s.Realm, event.None(), kit.None{})
		return s.Ports.Log.Append(ctx, e.Changing(directory.OfRealm(v.Realm(), &now)))
	})
}

// A server that sends no email says so and changes nothing.
func TestWithoutMails(t *testing.T) {
	s := server{kittest.Start(t, modules(log.Module)...), nil}
	s.Skip()
	s.As("alice").Do("PATCH /settings", "email", "new@example.org", "enter_sends", "true").Error(400, "BAD_REQUEST",
		"This server does not send email. Ask an administrator.")
	for _, method := range []string{"GET", "POST"} {
		s.want(method, resetPath, url.Values{"email": {"alice@example.com"}}, 400,
			"This server does not send email. Ask an owner")
	}
	s.NoEvents()
}

// Only owners can create password reset links. The server need not send email.
func TestResetLink(t *testing.T) {
	s := server{kittest.Start(t, modules(log.Module)...), nil}
	s.Skip()
	call := fmt.Sprintf("POST /users/%d/password_reset_link", s.UserID("alice"))
	s.As("adam").Do(call).Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	s.As("alice").Do(call).Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	olga := s.As("olga")
	for _, who := range []string{fmt.Sprint(s.UserID("bot")), "987654"} {
		olga.Do("POST /users/"+who+"/password_reset_link").Error(400, "BAD_REQUEST", "No such user")
	}
	create := func() string {
		t.Helper()
		a := olga.Do(call).OK()
		if got := a.Int("expires_at"); got != s.Clock.Now().Add(24*time.Hour).Unix() {
			t.Errorf("expires at %d", got)
		}
		path, ok := strings.CutPrefix(a.String("reset_link"), s.URL)
		if !ok {
			t.Errorf("the link %s does not lead to %s", a.String("reset_link"), s.URL)
		}
		return path
	}
	first, path := create(), create()
	s.want("GET", first, nil, 404, notValid)
	s.want("GET", path, nil, 200, `value="alice@example.com"`)
	s.NoEvents()
	s.want("POST", path, password(newPassword), 200, "<strong>"+s.URL+"</strong>")
	s.want("POST", path, password("yet another one"), 404, notValid)
	s.As("alice").Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	s.login("alice@example.com", newPassword).OK()
	late := create()
	s.Clock.Advance(24 * time.Hour)
	s.want("GET", late, nil, 404, notValid)
	s.passwords(false)
	olga.Do(call).Error(400, "BAD_REQUEST", "Password authentication is disabled")
	s.passwords(true)
	olga.Do(fmt.Sprintf("DELETE /users/%d", s.UserID("alice"))).OK()
	olga.Do(call).Error(400, "BAD_REQUEST", "User is deactivated")
}
