package twofactor_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// refused expects that a code does not log in.
func refused(t *testing.T, what string, b *browser, a answer) {
	t.Helper()
	if a.status == http.StatusFound || b.who() != "" {
		t.Errorf("%s: %+v", what, a)
	}
}

// TestCodeReuse tries codes that were used before, also at the same moment.
func TestCodeReuse(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database)
		ada := enroll(s, "alice")
		b, page := ada.started()
		code := ada.code(0)
		if a := b.code(page, code); a.status != 302 {
			t.Fatalf("%+v", a)
		}
		other, page := ada.started()
		refused(t, "a code that was used", other, other.code(page, code))
		refused(t, "the code before it", other, other.code(page, ada.code(-1)))
		s.Clock.Advance(2 * time.Minute)
		var wait sync.WaitGroup
		in, code := make(chan string, 4), ada.code(0)
		for range 4 {
			b, page := ada.started()
			wait.Go(func() {
				if a := b.code(page, code); a.status == http.StatusFound {
					in <- b.who()
				}
			})
		}
		wait.Wait()
		if close(in); len(in) != 1 {
			t.Errorf("a code has logged in %d browsers at once", len(in))
		}
	})
}

// TestRecoveryCodeTwice tries a recovery code that was used, one of an earlier set, and one of somebody else.
func TestRecoveryCodeTwice(t *testing.T) {
	s := start(t, "")
	ada, bob := enroll(s, "alice"), enroll(s, "bob")
	b, page := ada.started()
	if a := b.code(page, ada.recovery[0]); a.status != 302 {
		t.Fatalf("%+v", a)
	}
	b, page = ada.started()
	refused(t, "a recovery code twice", b, b.code(page, ada.recovery[0]))
	refused(t, "somebody else's", b, b.code(page, bob.recovery[0]))
	old := ada.recovery[1]
	var codes struct {
		Recovery []string `json:"recovery_codes"`
	}
	ada.at.call("POST /stoa/second_factor/recovery_codes", url.Values{}, &codes)
	refused(t, "one of an earlier set", b, b.code(page, old))
	if a := b.code(page, codes.Recovery[1]); a.status != 302 {
		t.Errorf("%+v", a)
	}
}

// TestBruteForce guesses codes in one login and in many.
func TestBruteForce(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database)
		ada, bob := enroll(s, "alice"), enroll(s, "bob")
		b, page := ada.started()
		for range 3 {
			refused(t, "a wrong code", b, b.code(page, "000000"))
		}
		b, page = ada.started()
		for range 2 {
			refused(t, "a wrong code", b, b.code(page, "000000"))
		}
		b, page = ada.started()
		a := b.code(page, ada.code(0))
		refused(t, "the sixth code in five minutes, in a third login", b, a)
		if a.status != http.StatusTooManyRequests || !strings.Contains(a.body, "Too many wrong codes") {
			t.Errorf("%+v", a)
		}
		if c, page := bob.started(); c.code(page, bob.code(0)).status != 302 {
			t.Error("somebody else is limited")
		}
		s.Clock.Advance(5 * time.Minute)
		if a := b.code(page, ada.code(0)); a.status != 302 {
			t.Errorf("after five minutes: %+v", a)
		}
		s.Clock.Advance(5 * time.Minute)
		b, page = ada.started()
		for range 4 {
			refused(t, "a wrong code", b, b.code(page, "000000"))
		}
		s.Clock.Advance(5 * time.Minute)
		refused(t, "a wrong code", b, b.code(page, "000000"))
		refused(t, "the sixth code in one login", b, b.code(page, ada.code(0)))
		log := s.As("olga").Do("GET /audit_log", "num_before", "100").OK().Body
		if !strings.Contains(log, "second_factor.refused") {
			t.Error(log)
		}
	})
}

// TestClockFarOff tries codes of a phone whose clock is wrong.
func TestClockFarOff(t *testing.T) {
	s := start(t, "")
	ada := enroll(s, "alice")
	b, page := ada.started()
	refused(t, "a minute late", b, b.code(page, ada.code(-2)))
	refused(t, "a minute early", b, b.code(page, ada.code(2)))
	refused(t, "an hour early", b, b.code(page, ada.code(120)))
	if a := b.code(page, ada.code(1)); a.status != 302 {
		t.Errorf("half a minute early: %+v", a)
	}
}

// TestFlow attacks the login between the password and the code.
func TestFlow(t *testing.T) {
	s := start(t, "")
	ada, bob := enroll(s, "alice"), enroll(s, "bob")
	b, page := ada.started()
	other := newBrowser(s)
	refused(t, "another browser", other, other.code(page, ada.code(0)))
	refused(t, "no login in progress", other, other.code("/?step=abc", ada.code(0)))
	refused(t, "no step", other, other.do("POST /accounts/second-factor/", url.Values{"code": {ada.code(0)}}))
	refused(t, "a form of another site", b, b.do("POST /accounts/second-factor/",
		url.Values{"step": {strings.TrimPrefix(page, "/accounts/second-factor/?step=")}, "code": {ada.code(0)}},
		"Origin", "https://evil.example"))
	refused(t, "the code of somebody else", b, b.code(page, bob.code(0)))
	refused(t, "no code", b, b.code(page, ""))

	c, old := ada.started()
	s.Clock.Advance(11 * time.Minute)
	refused(t, "after eleven minutes", c, c.code(old, ada.code(0)))

	c, old = ada.started()
	if a := c.code(old, ada.code(0)); a.status != 302 {
		t.Fatalf("%+v", a)
	}
	s.Clock.Advance(time.Minute)
	c.do("POST /accounts/logout/", url.Values{})
	refused(t, "a login that was completed", c, c.code(old, ada.code(0)))

	c, old = ada.started()
	s.As("alice").Do("PATCH /settings", "old_password", kittest.Password, "new_password", "correct horse battery").OK()
	refused(t, "a password that was changed meanwhile", c, c.code(old, ada.code(0)))

	c, old = bob.started()
	s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("bob"))).OK()
	refused(t, "a user deactivated meanwhile", c, c.code(old, bob.code(0)))
}

// TestUnattendedBrowser changes factors without the password, some time after the login.
func TestUnattendedBrowser(t *testing.T) {
	s := start(t, "")
	ada := enroll(s, "alice")
	s.As("alice").Do("DELETE /stoa/second_factor/app", "password", kittest.Password).Error(401, "UNAUTHORIZED", "")
	s.Clock.Advance(6 * time.Minute)
	for _, call := range []string{
		"DELETE /stoa/second_factor/app", "POST /stoa/second_factor/app", "POST /stoa/second_factor/recovery_codes",
	} {
		if a := ada.at.call(call, url.Values{}, nil); a.status != 400 || !strings.Contains(a.body, "Enter your password") {
			t.Errorf("%s: %+v", call, a)
		}
		a := ada.at.call(call, url.Values{"password": {"wrong"}}, nil)
		if a.status != 400 || !strings.Contains(a.body, "Wrong password") {
			t.Errorf("%s: %+v", call, a)
		}
	}
	b, page := ada.started()
	if a := b.code(page, ada.code(0)); a.status != 302 {
		t.Error("a factor was removed")
	}
	form := url.Values{"password": {kittest.Password}}
	if a := ada.at.call("DELETE /stoa/second_factor/app", form, nil); a.status != 200 {
		t.Errorf("%+v", a)
	}
}

// TestSecretOfAnother moves the sealed secret of one user to the row of another.
func TestSecretOfAnother(t *testing.T) {
	s := startWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}) // the operator has to know
	ada, bob := enroll(s, "alice"), enroll(s, "bob")
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).NewRaw("UPDATE second_factors SET secret = (SELECT secret FROM second_factors "+
			"WHERE user_id = ?) WHERE user_id = ?", s.UserID("bob"), s.UserID("alice")).Exec(ctx)
		return err
	})
	b, page := ada.started()
	refused(t, "the secret of somebody else", b, b.code(page, bob.code(0)))
	var stored []string
	if err := s.App.DB().From(t.Context()).NewRaw("SELECT secret FROM second_factors WHERE secret <> ''").
		Scan(t.Context(), &stored); err != nil || strings.Contains(strings.Join(stored, " "), bob.secret) {
		t.Errorf("%v %v", stored, err)
	}
}
