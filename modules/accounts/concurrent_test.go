package accounts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	realmmodule "github.com/stoachat/stoa/modules/realm"
)

// handle calls an endpoint's handler for a request that has already been authenticated.
func handle(s *kittest.Server, by user.Actor, row, body string) error {
	all := s.Ports.Collected.Endpoints
	i := slices.IndexFunc(all, func(e kit.Endpoint) bool { return e.Method+" "+e.Path == row })
	_, err := all[i].Call(s.T.Context(), by, func(req any) error { return json.Unmarshal([]byte(body), req) })
	return err
}

// hash returns the hash of a password.
func hash(s *kittest.Server, password string) string {
	s.T.Helper()
	h, err := s.Ports.Passwords.Hash(s.T.Context(), password, "")
	if err != nil {
		s.T.Fatal(err)
	}
	return h
}

// reset replaces a user's password, like the link in an email.
func reset(s *kittest.Server, who, hash string) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		return s.Ports.Credentials.ResetPassword(ctx, s.Actor(who), s.UserID(who), hash)
	})
}

func login(s *kittest.Server, who, password string) *kittest.Response {
	return s.Anonymous().Do("POST /fetch_api_key", "username", who+"@example.com", "password", password)
}

const resetTo = "battery horse staple"

// duringHash calls a handler, runs do while the handler computes its nth hash, and returns the handler's error.
type duringHash func(n int, do func(), by user.Actor, row, body string) error

// startBlocking starts a server whose hashing can be blocked.
func startBlocking(t *testing.T) (*kittest.Server, duringHash) {
	t.Helper()
	module, take := accounts.WithHashSlots()
	config := "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"
	s := kittest.StartWith(t, kittest.Options{Config: config}, realmmodule.Module, module, channels.Module, events.Module)
	return s, func(nth int, do func(), by user.Actor, row, body string) error {
		turns, done := make(accounts.HashSlots), make(chan error, 1)
		take(turns)
		defer take(make(accounts.HashSlots, 1))
		go func() { done <- handle(s, by, row, body) }()
		for n := 1; ; n++ {
			select {
			case <-turns:
				if n == nth {
					do()
				}
				turns <- struct{}{}
			case err := <-done:
				if n <= nth {
					t.Errorf("%s ended after %d hashes: %v", row, n-1, err)
				}
				return err
			}
		}
	}
}

// A login uses the account's state at the time the key is issued, not the state before the password was hashed.
func TestChangeDuringLogin(t *testing.T) {
	s, during := startBlocking(t)
	stored := hash(s, resetTo)
	fetch := func(who string, do func()) error {
		return during(1, func() { do(); s.Skip() }, user.Actor{Realm: s.Realm}, "POST /fetch_api_key",
			fmt.Sprintf(`{"username":"%s@example.com","password":%q}`, who, kittest.Password))
	}
	keys := func(who string) (n int) {
		s.Do(func(ctx context.Context) error {
			v, err := s.Ports.Directory.View(ctx, s.Realm)
			n = len(v.User(s.UserID(who)).Keys)
			return err
		})
		return n
	}
	if err := fetch("mona", func() {}); err != nil || keys("mona") != 2 {
		t.Errorf("without another change: %v, %d keys", err, keys("mona"))
	}
	s.Events(`user/keys nobody {}`)
	for _, c := range []struct {
		who  string
		do   func()
		code errs.Code
		keys int
	}{
		{"alice", func() { reset(s, "alice", stored) }, errs.AuthenticationFailed, 0},
		{"bob", func() { s.As("olga").Do(path(s, "DELETE /users/%d", "bob")).OK() }, errs.UserDeactivated, 1},
		{"guest", func() { change(s, func(r *realm.Realm) { r.Settings.PasswordAuth = false }) }, errs.PasswordAuthDisabled,
			1},
	} {
		if err := fetch(c.who, c.do); !errs.Is(err, c.code) || keys(c.who) != c.keys {
			t.Errorf("%s: %v, %d keys", c.who, err, keys(c.who))
		}
		s.NoEvents()
	}
	change(s, func(r *realm.Realm) { r.Settings.PasswordAuth = true })
	login(s, "alice", resetTo).OK()
	if err := fetch("mona", func() { change(s, func(r *realm.Realm) { r.Deactivated = true }) }); !errs.Is(err,
		errs.RealmDeactivated) {
		t.Errorf("a deactivated realm: %v", err)
	}
}

// If the password changes while the new one is being hashed, the caller's change is rejected.
func TestChangeDuringPasswordChange(t *testing.T) {
	s, during := startBlocking(t)
	stored := hash(s, resetTo)
	set := func(who string, nth int, do func()) error {
		return during(nth, func() { do(); s.Skip() }, s.Actor(who), "PATCH /settings",
			fmt.Sprintf(`{"old_password":%q,"new_password":"a new password","full_name":"New name"}`, kittest.Password))
	}
	if err := set("mona", 1, func() {}); err != nil {
		t.Errorf("without another change: %v", err)
	}
	s.Events(path(s, `realm_user/update seeing:mona {"person":{"full_name":"New name","user_id":%d}}`, "mona"))
	login(s, "mona", "a new password").OK()
	// 1: while the old password is verified, 2: while the new one is hashed.
	for nth, who := range map[int]string{1: "alice", 2: "bob"} {
		err := set(who, nth, func() { reset(s, who, stored) })
		if !errs.Is(err, errs.BadRequest) || !strings.Contains(err.Error(), "Wrong password!") {
			t.Errorf("%s: %v", who, err)
		}
		s.NoEvents()
		login(s, who, resetTo).OK()
		login(s, who, "a new password").Error(401, "AUTHENTICATION_FAILED", "")
		s.Skip()
	}
	err := set("guest", 2, func() { change(s, func(r *realm.Realm) { r.Settings.PasswordAuth = false }) })
	if !errs.Is(err, errs.BadRequest) || !strings.Contains(err.Error(), "disabled in this organization") {
		t.Errorf("passwords are disabled: %v", err)
	}
}

// After a user's keys have been revoked, requests that were authenticated earlier change nothing, on any node.
func TestRevokedKey(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		here := startOn(t, url)
		there := here.Another()
		came := map[string]user.Actor{}
		for _, who := range []string{"alice", "adam", "bot", "mona"} {
			a, err := there.Ports.Authenticator.Authenticate(t.Context(), here.Realm, who+"@example.com", here.As(who).Key())
			if err != nil {
				t.Fatal(err)
			}
			came[who] = a
		}
		rows := []struct{ who, row, body string }{
			{"alice", "POST /users/me/api_key/regenerate", `{}`},
			{"bot", "POST /users/me/api_key/regenerate", `{}`},
			{"alice", "PATCH /settings", `{"email":"eve@example.org"}`},
			{"alice", "PATCH /settings", fmt.Sprintf(`{"old_password":%q,"new_password":"a new password"}`, resetTo)},
			{"adam", "POST /users", `{"email":"eve@example.org","full_name":"Eve","password":"a new password"}`},
			{"adam", "PATCH /users/:user_id", path(here, `{"user_id":"%d","role":100}`, "adam")},
		}
		stored := hash(here, resetTo)
		reset(here, "alice", stored)
		reset(here, "adam", stored)
		here.As("bot").Do("POST /users/me/api_key/regenerate").OK()
		here.Skip()
		for _, c := range rows {
			for _, s := range []*kittest.Server{here, there} {
				if err := handle(s, came[c.who], c.row, c.body); !errs.Is(err, errs.Unauthorized) {
					t.Errorf("%s by %s: %v", c.row, c.who, err)
				}
			}
		}
		here.NoEvents()
		login(here, "alice", resetTo).OK()

		// Keys of other users, and requests without a key, are not affected.
		for _, by := range []user.Actor{came["mona"], here.Actor("alice")} {
			if err := handle(here, by, "PATCH /settings", `{"enter_sends":true}`); err != nil {
				t.Error(err)
			}
		}
		if err := handle(there, came["mona"], "POST /users/me/api_key/regenerate", `{}`); err != nil {
			t.Error(err)
		}
		if err := handle(here, came["mona"], "POST /users/me/api_key/regenerate", `{}`); !errs.Is(err, errs.Unauthorized) {
			t.Errorf("the same key again: %v", err)
		}
	})
}
