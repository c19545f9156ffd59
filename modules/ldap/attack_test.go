package ldap_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// TestFilterInjection takes names for names, whatever characters they have.
func TestFilterInjection(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(nil))
	s := start(t, "", d)
	for _, name := range []string{
		"*", "al*", "*)(uid=*", "alice)(uid=*", "alice)(|(uid=*", `alice\2a`, "alice)(&", "(alice)", "alice\x00",
		"alice\x00*", " alice", "alice ", "alice\n", "ａlice",
	} {
		fetch(s, name, "password of alice").Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
	}
	for _, f := range d.filters {
		if strings.Count(f, "(uid=") != 1 {
			t.Errorf("the filter has been changed: %s", f)
		}
	}
}

// TestDNInjection escapes names within DNs.
func TestDNInjection(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(nil),
		&record{dn: "uid=alice,ou=admins,ou=people,dc=example,dc=com", password: "x"})
	s := configured(t, "", "id: corp", "url: \"ldaps://"+d.addr()+"\"", "ca_file: \""+d.caFile+"\"",
		"user_dn: \"uid=%s,ou=people,dc=example,dc=com\"")
	for _, name := range []string{
		"alice,ou=admins", "alice+cn=x", `alice\2Cou=admins`, "#04024869", "alice,ou=people,dc=example,dc=com",
	} {
		fetch(s, name, "x").Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
	}
	if slices.Contains(d.binds, "uid=alice,ou=admins,ou=people,dc=example,dc=com") {
		t.Errorf("bound as %v", d.binds)
	}
}

// TestEmptyPassword sends no unauthenticated bind, which the directory of the test accepts.
func TestEmptyPassword(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(nil))
	s := start(t, "", d)
	if r := fetch(s, "alice", ""); r.Status == 200 {
		t.Errorf("%s", r.Body)
	}
	if status, _ := form(s, "alice", ""); status != 200 {
		t.Errorf("%d", status)
	}
	if len(d.binds) != 0 {
		t.Errorf("bound as %v", d.binds)
	}
	fetch(s, "alice", "\x00").Error(401, "AUTHENTICATION_FAILED", "Your username or password is incorrect")
}

// TestSeveralEntries refuses a name that is ambiguous.
func TestSeveralEntries(t *testing.T) {
	other := alice(nil)
	other.dn = "uid=alice,ou=others,dc=example,dc=com"
	d := newDirectory(t, "127.0.0.1", true, alice(nil), other)
	s := start(t, "", d)
	if r := fetch(s, "alice", "password of alice"); r.Status != 400 {
		t.Errorf("%s", r.Body)
	}
	if !slices.Equal(d.binds, []string{serviceDN}) {
		t.Errorf("bound as %v", d.binds)
	}
	// The directory works, and others log in.
	d.set(func() { d.people = append(d.people, someone("bob", "bob@example.com", "Bob", nil)) })
	fetch(s, "bob", "password of bob").OK()
}

// TestReferral follows no referral to another host.
func TestReferral(t *testing.T) {
	elsewhere := newDirectory(t, "127.0.0.1", false, alice(nil))
	d := newDirectory(t, "127.0.0.1", true)
	d.answer = func(id int64, op ber.Tag) *ber.Packet {
		if op != ldap.ApplicationSearchRequest {
			return nil
		}
		p := result(id, ldap.ApplicationSearchResultDone, ldap.LDAPResultReferral)
		referral := ber.Encode(ber.ClassContext, ber.TypeConstructed, 3, nil, "")
		referral.AppendChild(text("ldap://" + elsewhere.addr() + "/"))
		p.Children[1].AppendChild(referral)
		return p
	}
	s := start(t, "", d)
	if r := fetch(s, "alice", "password of alice"); r.Status == 200 || elsewhere.conns != 0 {
		t.Errorf("%s, %d connections", r.Body, elsewhere.conns)
	}
}

// TestCertificates refuses directories that cannot prove who they are.
func TestCertificates(t *testing.T) {
	for name, change := range map[string]func(d *directory) (caFile string){
		"self-signed": func(*directory) string { return "" },
		"expired": func(d *directory) string {
			d.certify("127.0.0.1", time.Now().Add(-time.Hour))
			return d.caFile
		},
		"another host": func(d *directory) string {
			d.certify("ldap.example.net", time.Now().Add(time.Hour))
			return d.caFile
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDirectory(t, "127.0.0.1", true, alice(nil))
			keys := []string{"id: corp", "url: \"ldaps://" + d.addr() + "\"", "bind_dn: \"" + serviceDN + "\"",
				"bind_password: " + secret, "base_dn: \"dc=example,dc=com\""}
			if ca := change(d); ca != "" {
				keys = append(keys, "ca_file: \""+ca+"\"")
			}
			s := configured(t, "", keys...)
			if r := fetch(s, "alice", "password of alice"); r.Status != 503 || len(d.binds) > 0 {
				t.Errorf("%s, bound as %v", r.Body, d.binds)
			}
		})
	}
}

// TestStartTLSStripped sends no password if the directory, or somebody in between, refuses to encrypt.
func TestStartTLSStripped(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", false, alice(nil))
	s := configured(t, "", "id: corp", "url: \"ldap://"+d.addr()+"\"", "start_tls: true", "ca_file: \""+d.caFile+"\"",
		"bind_dn: \""+serviceDN+"\"", "bind_password: "+secret, "base_dn: \"dc=example,dc=com\"")
	d.set(func() { d.refuseTLS = true })
	if r := fetch(s, "alice", "password of alice"); r.Status == 200 || len(d.binds) > 0 {
		t.Errorf("%s, bound as %v", r.Body, d.binds)
	}
	d.set(func() { d.refuseTLS = false })
	s.Clock.Advance(time.Minute)
	fetch(s, "alice", "password of alice").OK()
}

// TestStall gives up on a directory that takes a request and does not answer.
func TestStall(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(nil))
	d.stall = true
	s := start(t, "", d, "timeout: 1s")
	if r := fetch(s, "alice", "password of alice"); r.Status != 503 {
		t.Errorf("%s", r.Body)
	}
}

// TestHugeEntry reads a part of an entry that is too large.
func TestHugeEntry(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(map[string][]string{"displayName": {strings.Repeat("x", 8<<20)}}))
	s := start(t, "", d)
	if r := fetch(s, "alice", "password of alice"); r.Status != 503 {
		t.Errorf("%s", r.Body)
	}
}

// TestGuessing limits wrong passwords for a person with many names.
func TestGuessing(t *testing.T) {
	d := newDirectory(t, "127.0.0.1", true, alice(nil))
	s := start(t, "", d)
	for i := range 10 {
		fetch(s, []string{"alice", "Alice", "alice@example.com", "ALICE"}[i%4], "wrong").Error(401,
			"AUTHENTICATION_FAILED", "Your username or password is incorrect")
	}
	if r := fetch(s, "aLice", "password of alice"); r.Status != 429 {
		t.Errorf("%s", r.Body)
	}
	s.Clock.Advance(31 * time.Minute)
	fetch(s, "alice", "password of alice").OK()
}
