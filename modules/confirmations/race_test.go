package confirmations_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
)

const rounds = 8

// runConcurrently runs functions that return an HTTP status concurrently, and returns how many succeeded. The others
// must return a 4xx status.
func runConcurrently(t *testing.T, do ...func() int) int {
	t.Helper()
	out := make([]int, len(do))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, f := range do {
		all.Go(func() {
			<-start
			out[i] = f()
		})
	}
	close(start)
	all.Wait()
	n := 0
	for _, status := range out {
		switch {
		case status == 200:
			n++
		case status < 400 || status >= 500:
			t.Errorf("answered with %v", out)
		}
	}
	return n
}

func (s server) posts(path string, form url.Values) func() int {
	return func() int {
		status, _, _ := s.Page("POST", path, form)
		return status
	}
}

// If a link is used several times concurrently, exactly one use succeeds.
func TestRaceForOneLink(t *testing.T) {
	s := start(t)
	for i := range rounds {
		path := s.requestChange("alice", fmt.Sprintf("alice%d@example.org", i))
		s.Skip()
		if n := runConcurrently(t, s.posts(path, nil), s.posts(path, nil), s.posts(path, nil)); n != 1 {
			t.Errorf("%d requests changed the address", n)
		}
		if got := len(s.Log()); got != 3 {
			t.Errorf("%d events", got)
		}
		if got := s.sent(); len(got) != 1 {
			t.Errorf("%d notices", len(got))
		}
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("alice")), "new_email", "alice@example.com").OK()
		s.sent()
		path = s.requestReset("bob@example.com")
		a, b := fmt.Sprintf("a new password %d", i), fmt.Sprintf("b new password %d", i)
		if n := runConcurrently(t, s.posts(path, password(a)), s.posts(path, password(b))); n != 1 {
			t.Errorf("%d requests set a password", n)
		}
		if (s.login("bob@example.com", a).Status == 200) == (s.login("bob@example.com", b).Status == 200) {
			t.Error("want exactly one of the two passwords to work")
		}
	}
}

// If two confirmations and a new account claim the same address concurrently, exactly one succeeds.
func TestRaceForOneAddress(t *testing.T) {
	s := start(t)
	ids := []string{fmt.Sprint(s.UserID("alice")), fmt.Sprint(s.UserID("bob"))}
	for i := range rounds {
		email := fmt.Sprintf("wanted%d@example.org", i)
		alice, bob := s.requestChange("alice", email), s.requestChange("bob", strings.ToUpper(email[:1])+email[1:])
		n := runConcurrently(t, s.posts(alice, nil), s.posts(bob, nil), func() int {
			return s.As("olga").Do("POST /users", "email", email, "full_name", "Eve", "password", newPassword).Status
		})
		who := 0
		for _, m := range s.As("olga").Do("GET /users").OK().Get("members").([]any) {
			if strings.EqualFold(fmt.Sprint(m.(map[string]any)["delivery_email"]), email) {
				who++
			}
		}
		if n != 1 || who != 1 {
			t.Errorf("%d requests succeeded, %d users have the address", n, who)
		}
		s.As("olga").Do("PATCH /users/"+ids[0], "new_email", "alice@example.com").OK()
		s.As("olga").Do("PATCH /users/"+ids[1], "new_email", "bob@example.com").OK()
		s.sent()
	}
}

// If the account is deactivated or its address changed concurrently, a confirmation either succeeds first or is
// rejected.
func TestRaceWithDeactivation(t *testing.T) {
	s := start(t)
	user := fmt.Sprintf("/users/%d", s.UserID("alice"))
	for i := range rounds {
		email := fmt.Sprintf("alice%d@example.org", i)
		path := s.requestChange("alice", email)
		confirmed := 0
		runConcurrently(t,
			func() int { confirmed = s.posts(path, nil)(); return confirmed },
			func() int { return s.As("olga").Do("DELETE " + user).OK().Status },
		)
		s.As("olga").Do("POST " + user + "/reactivate").OK()
		s.LogIn("alice")
		if got := s.As("olga").Do("GET " + user).String("user.delivery_email"); (got == email) != (confirmed == 200) {
			t.Errorf("status %d, and the address is %s", confirmed, got)
		}
		s.want("POST", path, nil, 404, notValid)
		s.As("olga").Do("PATCH "+user, "new_email", "alice@example.com").OK()
		s.sent()
	}
}

// Limits hold for concurrent requests.
func TestRaceForTheLimit(t *testing.T) {
	s := start(t, "daily_per_source: 1000")
	ask := func(n int) func() int {
		return func() int {
			return s.As("alice").Do("PATCH /settings", "email", fmt.Sprintf("a%d@example.org", n)).Status
		}
	}
	if n := runConcurrently(t, ask(1), ask(2), ask(3), ask(4)); n != 2 {
		t.Errorf("%d", n)
	}
	if got := s.sent(); len(got) != 1 {
		t.Errorf("%d mails", len(got))
	}
	forgot := s.posts(resetPath, url.Values{"email": {"bob@example.com"}})
	if n := runConcurrently(t, forgot, forgot, forgot, forgot); n != 2 {
		t.Errorf("%d", n)
	}
	if got := s.sent(); len(got) != 2 {
		t.Errorf("%d mails", len(got))
	}
}

// Requests over the limit do not take the writer's lock.
func TestRequestsOverLimitTakeNoLock(t *testing.T) {
	s := start(t, "hourly_per_person: 1", "daily_per_person: 1", "daily_per_source: 1000")
	s.requestReset("bob@example.com")
	s.Do(func(ctx context.Context) error {
		if _, err := s.Ports.Directory.View(ctx, s.Realm); err != nil { // serializes changes in the realm
			return err
		}
		s.want("POST", resetPath, url.Values{"email": {"bob@example.com"}}, 429, "Too many emails")
		return nil
	})
}

// No key, password or network address of a requester is written to the server log, the realm's log or the database.
func TestSecretsAreNotStored(t *testing.T) {
	var log kittest.Lines
	f := &mailtest.Fake{}
	s := server{kittest.StartWith(t, kittest.Options{
		Config: "http: {url: " + site + "}", Log: slog.New(slog.NewTextHandler(&log,
			&slog.HandlerOptions{Level: slog.LevelDebug})),
	}, modules(f.Module())...), f}
	change, reset := s.requestChange("alice", "new@example.org"), s.requestReset("bob@example.com")
	s.want("GET", change+"?x="+change, nil, 200, "new@example.org")
	s.want("POST", reset, password("x"), 400, "at least 8")
	var dump strings.Builder
	note := func() {
		for _, table := range []string{"confirmations", "confirmation_mails", "confirmation_secret", "mail_queue",
			"user_passwords"} {
			rows := s.rows("SELECT * FROM " + table)
			if len(rows) == 0 && table != "mail_queue" {
				t.Errorf("nothing in %s", table)
			}
			dump.WriteString(strings.Join(rows, "\n"))
		}
	}
	note()
	s.want("POST", reset, password(newPassword), 200, "has been changed")
	s.want("POST", change, nil, 200, "now")
	note()
	secrets := []string{change, reset, keyIn(change), keyIn(reset), keyIn(reset)[3:], newPassword, "127.0.0.1"}
	for _, secret := range secrets {
		if strings.Contains(dump.String(), secret) {
			t.Errorf("%q is in the database", secret)
		}
		if secret != "127.0.0.1" && strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
		for _, e := range s.Log() {
			if strings.Contains(string(e.Payload), secret) {
				t.Errorf("%q is in the realm's log", secret)
			}
		}
	}
}

func keyIn(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return parts[len(parts)-1]
}

// A node with a different secret neither creates links that other nodes reject, nor reports valid links as expired. It
// logs the error.
func TestAnotherServersSecret(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		var log kittest.Lines
		f := &mailtest.Fake{}
		config := "http: {url: " + site + "}\nsecret: "
		s := server{kittest.StartWith(t, kittest.Options{
			DatabaseURL: database, Config: config + "the secret of the first node, long enough",
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		}, modules(f.Module())...), f}
		path := s.requestReset("bob@example.com")
		s.RestartWith(config + "the secret of another node, long enough")
		s.want("GET", path, nil, 500, "Something went wrong")
		s.want("POST", resetPath, url.Values{"email": {"bob@example.com"}}, 500, "Something went wrong")
		if !strings.Contains(log.String(), "configure the secret with which it was encrypted") {
			t.Errorf("%s", log.String())
		}
		s.RestartWith(config + "the secret of the first node, long enough")
		s.want("POST", path, password(newPassword), 200, "has been changed")
	})
}
