package invites_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
)

// concurrently runs functions concurrently and returns the responses.
func concurrently(do ...func() *kittest.Response) []*kittest.Response {
	out := make([]*kittest.Response, len(do))
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
	return out
}

// countSuccesses returns the number of successful responses, and checks that the others are client errors.
func countSuccesses(t *testing.T, all []*kittest.Response) int {
	t.Helper()
	n := 0
	for _, a := range all {
		switch {
		case a.Status == 200:
			n++
		case a.Status >= 500:
			t.Errorf("%s: %d %s", a.Call, a.Status, a.Body)
		}
	}
	return n
}

func (s server) people() int {
	s.T.Helper()
	return len(s.As("olga").Do("GET /users").OK().Get("members").([]any))
}

const rounds = 8

// Of concurrent uses of one invitation, one succeeds.
func TestRaceForOneInvitation(t *testing.T) {
	s := start(t, "daily_invitations: 1000", "max_link_uses: 1")
	for i := range rounds {
		before := s.people()
		key := s.invite("adam", fmt.Sprintf("eve%d@example.com", i))
		join := func() *kittest.Response { return s.join(key, "Eve") }
		if n := countSuccesses(t, concurrently(join, join, join)); n != 1 || s.people() != before+1 {
			t.Errorf("%d joined, %d more users exist", n, s.people()-before)
		}
	}
}

// Of concurrent requests for a link's last use, one succeeds.
func TestRaceForTheLastUse(t *testing.T) {
	s := startWithoutEmail(t, "max_link_uses: 1", "daily_per_source_with_link: 1000")
	for i := range rounds {
		before := s.people()
		link := s.link("adam")
		join := func(n int) func() *kittest.Response {
			return func() *kittest.Response {
				return s.join(link, "Eve", "email", fmt.Sprintf("eve%d.%d@example.com", i, n))
			}
		}
		if n := countSuccesses(t, concurrently(join(1), join(2), join(3))); n != 1 || s.people() != before+1 {
			t.Errorf("%d joined, %d more users exist", n, s.people()-before)
		}
	}
}

// Of concurrent signups with one address in different ways, one succeeds.
func TestRaceForOneAddress(t *testing.T) {
	s := startWithoutEmail(t, "daily_per_source_with_link: 1000")
	link := s.link("adam")
	for i := range rounds {
		before := s.people()
		join := func() *kittest.Response { return s.join(link, "Eve", "email", fmt.Sprintf("eve%d@example.com", i)) }
		make := func() *kittest.Response {
			return s.As("olga").Do("POST /users", "email", fmt.Sprintf("Eve%d@example.com", i), "full_name", "Eve", "password",
				password)
		}
		if n := countSuccesses(t, concurrently(join, make, join)); n != 1 || s.people() != before+1 {
			t.Errorf("%d joined, %d more users exist", n, s.people()-before)
		}
	}
}

// If an invitation is revoked while it is being used, exactly one of the two requests succeeds.
func TestRaceWithRevoke(t *testing.T) {
	s := start(t, "daily_invitations: 1000")
	for i := range rounds {
		before := s.people()
		email := fmt.Sprintf("eve%d@example.com", i)
		key := s.invite("adam", email)
		id := s.As("adam").Do("GET /invites").OK().Int("invites.0.id")
		all := concurrently(
			func() *kittest.Response { return s.join(key, "Eve") },
			func() *kittest.Response { return s.As("adam").Do(fmt.Sprintf("DELETE /invites/%d", id)) },
		)
		if n := countSuccesses(t, all); n != 1 || (all[0].Status == 200) != (s.people() == before+1) {
			t.Errorf("%d succeeded: %s, %s", n, all[0].Body, all[1].Body)
		}
		if got := s.list("olga"); len(got) != 0 {
			t.Errorf("%v", got)
		}
	}
}

// When an inviter is deactivated, a concurrent signup either succeeds first or is rejected.
func TestRaceWithDeactivation(t *testing.T) {
	s := startWithoutEmail(t, "daily_per_source_with_link: 1000")
	id := s.UserID("adam")
	for i := range rounds {
		before := s.people()
		link := s.link("adam")
		all := concurrently(
			func() *kittest.Response { return s.join(link, "Eve", "email", fmt.Sprintf("eve%d@example.com", i)) },
			func() *kittest.Response { return s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", id)) },
		)
		all[1].OK()
		if countSuccesses(t, all[:1]) != s.people()-before {
			t.Errorf("%s", all[0].Body)
		}
		if got := s.list("olga"); len(got) != 0 {
			t.Errorf("%v", got)
		}
		s.join(link, "Late", "email", fmt.Sprintf("late%d@example.com", i)).Error(404, "NOT_FOUND", notValid)
		s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", id)).OK()
		s.LogIn("adam")
	}
}

// Daily limits hold for concurrent invitations.
func TestRaceForTheDailyLimit(t *testing.T) {
	s := start(t, "daily_invitations: 3")
	invite := func(who string) func() *kittest.Response {
		return func() *kittest.Response {
			return s.As(who).Do("POST /invites", "invitee_emails", who+"1@x.org,"+who+"2@x.org", "stream_ids", "[]")
		}
	}
	if n := countSuccesses(t, concurrently(invite("alice"), invite("bob"), invite("mona"), invite("adam"))); n != 1 {
		t.Errorf("%d", n)
	}
	if got := s.sent(); len(got) != 2 {
		t.Errorf("%d mails", len(got))
	}
}

// Signups over the limit do not take the realm's lock, with or without a link, and with or without email.
func TestRequestsOverLimitTakeNoLock(t *testing.T) {
	limits := []string{"daily_per_source: 1", "daily_per_source_with_link: 2"}
	for name, s := range map[string]server{"mails": start(t, limits...), "none": startWithoutEmail(t, limits...)} {
		link := s.link("adam")
		s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
		s.join("", "Eve", "email", "eve@example.com").OK()
		s.join(link, "Fay", "email", "fay@example.com").OK()
		s.Do(func(ctx context.Context) error {
			if _, err := s.Ports.Directory.View(ctx, s.Realm); err != nil { // take the lock
				return err
			}
			for _, key := range []string{"", link} {
				if a := s.join(key, "Hal", "email", "hal@example.com"); a.Status != 429 {
					t.Errorf("%s, key %q: %d %s", name, key, a.Status, a.Body)
				}
			}
			return nil
		})
	}
}

// No key or password is written to the server log, the realm's log or the database.
func TestSecretsAreNotStored(t *testing.T) {
	var log kittest.Lines
	f := &mailtest.Fake{}
	s := server{kittest.StartWith(t, kittest.Options{
		Config: "http: {url: " + site + "}", Log: slog.New(slog.NewTextHandler(&log,
			&slog.HandlerOptions{Level: slog.LevelDebug})),
	}, modules(f.Module())...), f}
	s.endWaitingPeriod()
	link := s.link("adam")
	mail := s.invite("alice", "eve@example.com")
	s.As("alice").Do("POST /invites", "invitee_emails", "waiting@example.com", "stream_ids", "[]").OK()
	s.Page("GET", "/join/"+link+"/", nil)
	s.Page("POST", "/join/"+link+"/?key="+link, nil)
	s.Page("GET", "/accounts/do_confirm/"+mail, nil)
	s.join(mail, "Eve", "nonsense", link).OK()
	s.join(mail, "Eve").Error(404, "NOT_FOUND", notValid)
	s.join(link, "Eve", "email", "fay@example.com").OK()
	dump := s.dump()
	if !regexp.MustCompile(`\b1 1\.[A-Za-z0-9+/]{40,}`).MatchString(dump) {
		t.Errorf("the secret is not encrypted: %s", dump)
	}
	for _, secret := range []string{link, mail, password, mail[2:], link[2:]} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
		if strings.Contains(dump, secret) {
			t.Errorf("%q is in the database", secret)
		}
		for _, e := range s.Log() {
			if strings.Contains(string(e.Payload), secret) {
				t.Errorf("%q is in the realm's log", secret)
			}
		}
	}
}

// A server with a different secret does not replace the stored one, which other nodes use. It reports an error.
func TestAnotherServersSecret(t *testing.T) {
	var log kittest.Lines
	f := &mailtest.Fake{}
	s := server{kittest.StartWith(t, kittest.Options{Config: "http: {url: " + site + "}",
		Log: slog.New(slog.NewTextHandler(&log, nil))}, modules(f.Module())...), f}
	s.link("adam")
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).ExecContext(ctx,
			"UPDATE invite_secret SET secret = '1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'")
		return err
	})
	s.As("adam").Do("GET /invites").OK() // after it was read
	s.Restart()
	s.As("adam").Do("GET /invites").Error(500, "INTERNAL_SERVER_ERROR", "Internal server error")
	if status, _, body := s.Page("GET", "/join/1-"+strings.Repeat("A", 43)+"/", nil); status != 500 ||
		!strings.Contains(body, "Something went wrong") {
		t.Errorf("%d %s", status, body)
	}
	if !strings.Contains(log.String(), "configure the secret with which it was encrypted") {
		t.Errorf("%s", log.String())
	}
}
