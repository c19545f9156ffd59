package realm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	realms "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/zulipnames"
	"github.com/stoachat/stoa/ports"
)

// startSeveral starts a server whose root domain is the address on which it listens. The test's realm is on the root
// domain.
func startSeveral(t *testing.T) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{Config: "modules: {realm: {domain: 127.0.0.1}}"},
		realm.Module, accounts.Module, events.Module, zulipnames.Module)
}

const skeptics = "skeptics.127.0.0.1"

func TestRealms(t *testing.T) {
	s := startSeveral(t)
	ctx, realms := t.Context(), s.Ports.Realms
	if id, err := realms.Resolve(ctx, "127.0.0.1"); id != s.Realm || err != nil {
		t.Errorf("the root domain: %d, %v", id, err)
	}
	for _, c := range [][2]string{{"X", ""}, {"X", "a b"}, {"X", "-a"}, {"", "other"}, {"X", strings.Repeat("a", 41)},
		{"X", "www"}} {
		if _, err := realms.Create(ctx, c[0], c[1]); !errs.Is(err, errs.BadRequest) {
			t.Errorf("Create(%q, %q): %v", c[0], c[1], err)
		}
	}
	second, err := realms.Create(ctx, "Skeptics", "Skeptics")
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int64{
		skeptics: int64(second), "SKEPTICS.127.0.0.1.": int64(second), "127.0.0.1": int64(s.Realm), "other.127.0.0.1": 0,
		"skeptics":             0,
		"skeptics.example.com": 0, "a.skeptics.127.0.0.1": 0, ".127.0.0.1": 0, "": 0, "x127.0.0.1": 0,
	} {
		id, err := realms.Resolve(ctx, host)
		if int64(id) != want || (want == 0) != errs.Is(err, errs.NonexistentSubdomain) {
			t.Errorf("%q: %d, %v; want %d", host, id, err, want)
		}
	}
	if all, err := realms.All(ctx); err != nil || len(all) != 2 || all[1] != second {
		t.Errorf("realms: %v, %v", all, err)
	}
	v, err := s.Ports.Directory.View(ctx, second)
	if err != nil || v.Realm().Settings.Name != "Skeptics" || v.UserByEmail("notification-bot@stoa.invalid") == nil {
		t.Errorf("the new realm: %v, %v", v, err)
	}
}

// A server without a configured domain has a single realm, which is served on every host name.
func TestOneRealm(t *testing.T) {
	s := start(t)
	for _, host := range []string{"chat.example.com", "127.0.0.1", ""} {
		if id, err := s.Ports.Realms.Resolve(t.Context(), host); id != s.Realm || err != nil {
			t.Errorf("%q: %d, %v", host, id, err)
		}
	}
	s.As("alice").At("any.example.com:8080").Do("GET /users/me").OK()
	if _, err := s.Ports.Realms.Create(t.Context(), "Skeptics", "skeptics"); !errs.Is(err, errs.BadRequest) ||
		!strings.Contains(err.Error(), "modules.realm.domain") {
		t.Errorf("a second realm: %v", err)
	}
}

// If creating a realm fails, neither rows nor a view remain.
func TestRealmRolledBack(t *testing.T) {
	s := startSeveral(t)
	failed := fmt.Errorf("no")
	err := s.Ports.Work.Do(t.Context(), func(ctx context.Context) error {
		if _, err := s.Ports.Realms.Create(ctx, "Skeptics", "skeptics"); err != nil {
			return err
		}
		return failed
	})
	if err == nil {
		t.Fatal("the error was lost")
	}
	if all, err := s.Ports.Realms.All(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("realms: %v, %v", all, err)
	}
}

// Each host name serves its realm, or returns an error if there is none.
func TestHosts(t *testing.T) {
	s := startSeveral(t)
	second, err := s.Ports.Realms.Create(t.Context(), "Skeptics", "skeptics")
	if err != nil {
		t.Fatal(err)
	}
	by := user.Actor{Realm: second, System: true}
	carl, err := s.Ports.Accounts.Create(t.Context(), by, ports.NewUser{Email: "alice@example.com", FullName: "Alice",
		Password: "nine unusual mosaics", Role: user.Member})
	if err != nil {
		t.Fatal(err)
	}
	settings := func(host string) *kittest.Response { return s.Anonymous().At(host).Do("GET /server_settings") }
	for host, want := range map[string]string{"": "Stoics", skeptics: "Skeptics", "SKEPTICS.127.0.0.1:8443": "Skeptics"} {
		if got := settings(host).OK().String("realm_name"); got != want {
			t.Errorf("%q is %s, want %s", host, got, want)
		}
	}
	for host, want := range map[string]string{skeptics: "http://" + skeptics,
		skeptics + ":8443": "http://" + skeptics + ":8443"} {
		if got := settings(host).String("realm_url"); got != want {
			t.Errorf("the address is %s, want %s", got, want)
		}
	}
	for _, host := range []string{"other.127.0.0.1", "example.com"} {
		for _, call := range []string{"GET /users/me", "POST /fetch_api_key", "POST /register", "GET /realm/domains"} {
			s.As("alice").At(host).Do(call).Error(404, "NONEXISTENT_SUBDOMAIN", "")
		}
		// These requests need no realm.
		for _, call := range []string{"GET /server_settings", "GET /compatibility", "GET /realm/subdomain/x"} {
			s.As("alice").At(host).Do(call).Is(400, `{"result":"error","msg":"Invalid subdomain","code":"BAD_REQUEST"}`)
		}
	}

	// The same address is a separate user in each realm, with a separate password and separate keys.
	login := func(host, password string) *kittest.Response {
		return s.Anonymous().At(host).Do("POST /fetch_api_key", "username", "alice@example.com", "password", password)
	}
	login("", "nine unusual mosaics").Error(401, "AUTHENTICATION_FAILED", "")
	login(skeptics, kittest.Password).Error(401, "AUTHENTICATION_FAILED", "")
	key := login(skeptics, "nine unusual mosaics").OK()
	if got := key.Int("user_id"); got != int64(carl) {
		t.Errorf("alice of the skeptics is %d, want %d", got, carl)
	}
	theirs := s.WithKey("alice@example.com", key.String("api_key"))
	theirs.Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	s.As("alice").At(skeptics).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	if got := theirs.At(skeptics).Do("GET /users/me").OK().Int("user_id"); got != int64(carl) {
		t.Errorf("the caller is %d", got)
	}
	// Deactivating one realm does not affect the other.
	if err := s.Ports.States.Deactivate(t.Context(), second, nil); err != nil {
		t.Fatal(err)
	}
	theirs.At(skeptics).Do("GET /users/me").Error(401, "REALM_DEACTIVATED", "")
	s.As("alice").Do("GET /users/me").OK()
}

// On a root domain without a realm, only requests that need no realm are served.
func TestRootDomainWithoutARealm(t *testing.T) {
	s := startSeveral(t)
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).ExecContext(ctx, "UPDATE realms SET string_id = 'stoics'")
		return err
	})
	s.Restart()
	a := s.Anonymous().Do("GET /server_settings").OK()
	if a.Int("zulip_feature_level") != realms.FeatureLevel || strings.Contains(a.Body, `"realm_`) {
		t.Errorf("the server: %s", a.Body)
	}
	if got := s.Anonymous().Do("GET /realm/subdomain/cynics").OK().String("msg"); got != "available" {
		t.Errorf("a subdomain: %q", got)
	}
	for _, call := range []string{"GET /users/me", "POST /fetch_api_key", "POST /register", "GET /nothing/here"} {
		code := "NONEXISTENT_SUBDOMAIN"
		if call == "GET /nothing/here" {
			code = ""
		}
		if got := s.As("alice").Do(call); got.Status != 404 || code != "" && got.String("code") != code {
			t.Errorf("%s: %d %s", call, got.Status, got.Body)
		}
	}
	at := "stoics.127.0.0.1"
	if got := s.Anonymous().At(at).Do("GET /server_settings").OK().String("realm_name"); got != "Stoics" {
		t.Errorf("the realm: %s", got)
	}
	s.As("alice").At(at).Do("GET /users/me").OK()
}

func TestSubdomain(t *testing.T) {
	s := startSeveral(t)
	for id, want := range map[string]string{
		"skeptics": "available", "Cynics": "available", "a%20b": "Subdomain can only have", "-x": "start or end",
		"www":                   "reserved",
		strings.Repeat("a", 41): "too long",
	} {
		if got := s.Anonymous().Do("GET /realm/subdomain/" + id).OK().String("msg"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if _, err := s.Ports.Realms.Create(t.Context(), "Skeptics", "skeptics"); err != nil {
		t.Fatal(err)
	}
	if got := s.Anonymous().Do("GET /realm/subdomain/SKEPTICS").OK().String("msg"); !strings.Contains(got,
		"already in use") {
		t.Errorf("a subdomain that is in use: %q", got)
	}
}
