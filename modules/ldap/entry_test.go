package ldap_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestActiveDirectory reads what only Active Directory sends: binary IDs, and values in parts.
func TestActiveDirectory(t *testing.T) {
	a := alice(map[string][]string{
		"objectCategory": {"person"}, "objectClass": {"user"}, "sAMAccountName": {"alice"},
		"objectGUID": {"\x33\x22\x11\x00\x55\x44\x77\x66\x88\x99\xaa\xbb\xcc\xdd\xee\xff"},
	})
	first := "cn=g0,ou=groups,dc=example,dc=com"
	a.attributes["memberOf;range=0-0"] = []string{first}
	d := newDirectory(t, "127.0.0.1", true, a)
	d.parts = map[string][]string{"memberOf;range=1-*": {"cn=g1,ou=groups,dc=example,dc=com"}}
	s := start(t, "", d, "preset: ad", "require_groups: [g1]", "group_filter: \"(member=%s)\"")
	out, err := command(t, s, "ldap test", `{"Name":"alice"}`)
	if err != nil || out["id"] != "00112233-4455-6677-8899-aabbccddeeff" ||
		fmt.Sprint(out["groups"]) != "["+first+" cn=g1,ou=groups,dc=example,dc=com g0 g1]" {
		t.Errorf("%v %v", out, err)
	}
	fetch(s, "alice", "password of alice").OK()
}

// TestDeactivated refuses people whom the directory has deactivated, in each of the ways that directories have.
func TestDeactivated(t *testing.T) {
	a := alice(nil)
	d := newDirectory(t, "127.0.0.1", true, a)
	s := start(t, "", d, "active_attribute: enabled")
	now := s.Clock.Now()
	days := func(at time.Time) string { return fmt.Sprint(at.Unix() / (24 * 60 * 60)) }
	filetime := func(at time.Time) string { return fmt.Sprint(at.Unix()*10_000_000 + 116444736000000000) }
	for state, active := range map[string]bool{
		"userAccountControl=512": true, "userAccountControl=514": false,
		"nsAccountLock=TRUE": false, "nsAccountLock=false": true,
		"pwdAccountLockedTime=000001010000Z":              false,
		"pwdAccountLockedTime=20260601120000Z":            true, // after wrong passwords, which anybody can enter
		"shadowExpire=" + days(now.Add(48*time.Hour)):     true,
		"shadowExpire=" + days(now.Add(-48*time.Hour)):    false,
		"shadowExpire=-1":                                 true,
		"accountExpires=0":                                true,
		"accountExpires=9223372036854775807":              true,
		"accountExpires=" + filetime(now.Add(time.Hour)):  true,
		"accountExpires=" + filetime(now.Add(-time.Hour)): false,
		"enabled=FALSE":                                   false, "enabled=TRUE": true,
	} {
		name, value, _ := strings.Cut(state, "=")
		d.set(func() { a.attributes[name] = []string{value} })
		r := fetch(s, "alice", "password of alice")
		if active != (r.Status == 200) || !active && !strings.Contains(r.Body, "USER_DEACTIVATED") {
			t.Errorf("%s: %s", state, r.Body)
		}
		d.set(func() { delete(a.attributes, name) })
	}
}

// TestIdentity follows the ID of an entry: whoever gets the name of somebody else does not get the account.
func TestIdentity(t *testing.T) {
	a := alice(nil)
	d := newDirectory(t, "127.0.0.1", true, a)
	s := start(t, "", d, "auto_signup: true")
	fetch(s, "alice", "password of alice").OK()
	d.set(func() { a.attributes["entryUUID"] = []string{"id-of-another-alice"} })
	if r := fetch(s, "alice", "password of alice"); r.Status != 400 {
		t.Errorf("%s", r.Body)
	}
	d.set(func() { a.attributes["mail"] = []string{"another@example.com"} })
	if r := fetch(s, "alice", "password of alice").OK(); r.Get("email") != "another@example.com" {
		t.Errorf("%s", r.Body)
	}
	if all := s.As("olga").Do("GET /users").OK().Body; !strings.Contains(all, "alice@example.com") {
		t.Errorf("the first account has changed: %s", all)
	}
}
