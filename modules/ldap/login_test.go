package ldap_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// alice returns the entry of somebody who has an account.
func alice(more map[string][]string) *record {
	return someone("alice", "alice@example.com", "Alice", more)
}

func TestLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		a := alice(nil)
		d := newDirectory(t, "127.0.0.1", true, a)
		s := start(t, database, d)
		settings := s.Anonymous().Do("GET /server_settings").OK()
		if settings.Get("require_email_format_usernames") != false || settings.Get("email_auth_enabled") != true ||
			settings.Get("authentication_methods").(map[string]any)["ldap"] != true {
			t.Errorf("%s", settings.Body)
		}
		if r := fetch(s, "alice", "password of alice").OK(); r.Get("email") != "alice@example.com" ||
			r.Get("api_key") == "" {
			t.Errorf("%s", r.Body)
		}
		fetch(s, "alice@example.com", "password of alice").OK()
		fetch(s, "alice@example.com", kittest.Password).OK() // the server's own password works as well
		fetch(s, "alice", "another").Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
		if status, body := form(s, "alice", "password of alice"); status != 302 {
			t.Errorf("%d %s", status, body)
		}
		if status, body := form(s, "alice", "wrong"); status != 200 ||
			!strings.Contains(body, "The name or password is incorrect") ||
			!strings.Contains(body, "Username or email address") {
			t.Errorf("%d %s", status, body)
		}
		// The account follows the entry, whose address and name change.
		d.set(func() {
			a.attributes["mail"], a.attributes["displayName"] = []string{"new@example.com"}, []string{"Alicia"}
		})
		if r := fetch(s, "alice", "password of alice").OK(); r.Get("email") != "new@example.com" {
			t.Errorf("%s", r.Body)
		}
		log := s.As("olga").Do("GET /audit_log").OK().Body
		for _, want := range []string{"identity.connected", "identity.used", "login.failed"} {
			if !strings.Contains(log, want) || strings.Contains(log, "id-of-alice") {
				t.Errorf("the audit log lacks %s, or contains the ID: %s", want, log)
			}
		}
		s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("alice"))).OK()
		fetch(s, "alice", "password of alice").Error(401, "USER_DEACTIVATED", "Account is deactivated")
	})
}

func TestSignUp(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, someone("nora", "nora@example.com", "Nora", nil))
	s := start(t, "", d)
	s.As("olga").Do("PATCH /realm", "invite_required", "true").OK()
	if r := fetch(s, "nora", "password of nora"); r.Status != 400 || !strings.Contains(r.Body, "have an account in") {
		t.Errorf("%s", r.Body)
	}
	s = start(t, "", d, "auto_signup: true")
	s.As("olga").Do("PATCH /realm", "invite_required", "true").OK()
	if r := fetch(s, "nora", "password of nora").OK(); r.Get("email") != "nora@example.com" {
		t.Errorf("%s", r.Body)
	}
	fetch(s, "nora@example.com", "password of nora").OK()
	d.set(func() {
		d.people = append(d.people, someone("otto", "otto@example.com", "Otto", map[string][]string{
			"preferredLanguage": {"de-CH, en;q=0.5"}, "zone": {"Europe/Zurich"},
		}), someone("pia", "pia@example.com", "Pia", map[string][]string{
			"preferredLanguage": {strings.Repeat(",x;q=", 9000)}, "zone": {"../etc/passwd"},
		}))
	})
	s = start(t, "", d, "auto_signup: true", "timezone_attribute: zone")
	for _, name := range []string{"otto", "pia"} {
		key := fetch(s, name, "password of "+name).OK().Get("api_key").(string)
		u := s.WithKey(name+"@example.com", key).Do("GET /users/me").OK()
		if strings.Contains(u.Body, `"timezone":"Europe/Zurich"`) != (name == "otto") {
			t.Errorf("%s", u.Body)
		}
	}
}

// TestGroups maps groups of groups, and refuses who is in none that is required.
func TestGroups(t *testing.T) {
	a, b := alice(nil), someone("bob", "bob@example.com", "Bob", nil)
	inner := members("inner", a.dn)
	d := newDirectory(t, "127.0.0.1", true, a, b, inner, members("Staff", inner.dn), members("Admins", "cn=Staff,ou=x"))
	keys := []string{
		"group_filter: \"(member=%s)\"", "nested_groups: true", "require_groups: [Staff]",
		"groups_map: {\"CN=staff, OU=groups, DC=example, DC=com\": People}", "roles_map: {Staff: moderator}",
	}
	s := start(t, "", d, keys...)
	s.As("olga").Do("POST /user_groups/create", "name", "People", "description", "", "members", "[]").OK()
	fetch(s, "alice", "password of alice").OK()
	if u := s.As("alice").Do("GET /users/me").OK(); !strings.Contains(u.Body, `"role":300`) {
		t.Errorf("%s", u.Body)
	}
	if all := s.As("olga").Do("GET /user_groups").OK().Body; !strings.Contains(all,
		`"members":[`+kittest.JSON(s.UserID("alice"))+`]`) {
		t.Errorf("%s", all)
	}
	if r := fetch(s, "bob", "password of bob"); r.Status != 400 {
		t.Errorf("%s", r.Body)
	}
	d.set(func() { inner.attributes["member"] = nil })
	if r := fetch(s, "alice", "password of alice"); r.Status != 400 {
		t.Errorf("%s", r.Body)
	}
}

// TestDirectBind binds without a service account, by a DN and by a name.
func TestDirectBind(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(map[string][]string{"userPrincipalName": {"alice@corp"}}),
		&record{dn: "alice@corp", password: "password of alice"})
	tls := []string{"id: corp", "url: \"ldaps://" + d.addr() + "\"", "ca_file: \"" + d.caFile + "\""}
	s := configured(t, "", append(tls, "user_dn: \"uid=%s,ou=people,dc=example,dc=com\"")...)
	fetch(s, "alice", "password of alice").OK()
	fetch(s, "alice@example.com", "password of alice").OK() // the name is remembered
	fetch(s, "alice", "wrong").Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
	s = configured(t, "", append(tls, "user_dn: \"%s@corp\"", "base_dn: \"dc=example,dc=com\"",
		"user_filter: \"(uid=%s)\"")...)
	fetch(s, "alice", "password of alice").OK()
}

// TestOutage keeps passwords of the server working, and asks the directory again after half a minute.
func TestOutage(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(nil))
	s := start(t, "", d)
	d.set(func() { d.dead = true })
	health := func(want string) {
		t.Helper()
		if h := s.Anonymous().Under("").Do("GET /health"); !strings.Contains(h.Body, want) {
			t.Errorf("%s, want %s", h.Body, want)
		}
	}
	health(`"ldap.corp":"failing"`)
	if r := fetch(s, "alice", "password of alice"); r.Status != 503 ||
		!strings.Contains(r.Body, "Corp does not respond") {
		t.Errorf("%s", r.Body)
	}
	fetch(s, "bob@example.com", kittest.Password).OK()
	before := d.conns // no connection is open, so that nothing changes it
	if r := fetch(s, "alice", "password of alice"); r.Status != 503 || d.conns != before {
		t.Errorf("%s, %d connections", r.Body, d.conns-before)
	}
	d.set(func() { d.dead = false })
	s.Clock.Advance(time.Minute)
	fetch(s, "alice", "password of alice").OK()
	health(`"ldap.corp":"ok"`)
}
