package ldap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// locked deactivates a person as Active Directory does.
func locked() []string { return []string{"514"} }

func TestSync(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		a, b := alice(nil), someone("bob", "bob@example.com", "Bob", nil)
		d := newDirectory(t, "127.0.0.1", true, a, b)
		s := start(t, database, d)
		key := fetch(s, "alice", "password of alice").OK().Get("api_key").(string)
		fetch(s, "bob", "password of bob").OK()
		d.set(func() {
			a.attributes["userAccountControl"] = locked()
			b.attributes["displayName"] = []string{"Robert"}
		})
		// Log-in ends at once, and the rest at the next synchronization.
		fetch(s, "alice", "password of alice").Error(401, "USER_DEACTIVATED", "Account is deactivated")
		s.RunJob("ldap.sync")
		if r := s.Anonymous().Do("GET /users/me", "api_key", key); r.Status != 401 {
			t.Errorf("the key works: %s", r.Body)
		}
		if all := s.As("olga").Do("GET /users").OK().Body; !strings.Contains(all, `"full_name":"Robert"`) {
			t.Errorf("%s", all)
		}
		// Whom a synchronization has deactivated, a synchronization reactivates.
		d.set(func() { a.attributes["userAccountControl"] = []string{"512"} })
		s.RunJob("ldap.sync")
		fetch(s, "alice", "password of alice").OK()
		// Whom an administrator has deactivated stays so.
		s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("bob"))).OK()
		s.RunJob("ldap.sync")
		fetch(s, "bob", "password of bob").Error(401, "USER_DEACTIVATED", "Account is deactivated")
	})
}

// TestBrakes deactivates nobody if the directory returns nobody, or too few.
func TestBrakes(t *testing.T) {
	people := []*record{}
	for i := range 7 {
		uid := fmt.Sprintf("p%d", i)
		people = append(people, someone(uid, uid+"@example.com", "Person "+uid, nil))
	}
	d := newDirectory(t, "127.0.0.1", true, people...)
	s := start(t, "", d, "auto_signup: true")
	for i := range 7 {
		fetch(s, fmt.Sprintf("p%d", i), fmt.Sprintf("password of p%d", i)).OK()
	}
	all := d.people
	active := func() int {
		return strings.Count(s.As("olga").Do("GET /users").OK().Body, `"full_name":"Person`) -
			strings.Count(s.As("olga").Do("GET /users").OK().Body, `"is_active":false`)
	}
	for name, left := range map[string][]*record{"nobody": all[7:], "one": all[6:]} {
		d.set(func() { d.people = left })
		err := s.App.RunJob(t.Context(), "ldap.sync")
		if err == nil || !strings.Contains(err.Error(), "Nothing has been changed") {
			t.Errorf("%s: %v", name, err)
		}
		if n := active(); n != 7 {
			t.Errorf("%s: %d are active", name, n)
		}
	}
	d.set(func() { d.people = all[5:] })
	s.RunJob("ldap.sync")
	if n := active(); n != 2 {
		t.Errorf("%d are active", n)
	}
}

// TestPages follows people on the last of several pages, which belong to one connection.
func TestPages(t *testing.T) {
	people := []*record{}
	for i := range 1001 {
		uid := fmt.Sprintf("p%d", i)
		people = append(people, someone(uid, uid+"@example.com", "Person "+uid, nil))
	}
	d := newDirectory(t, "127.0.0.1", true, people...)
	s := start(t, "", d, "auto_signup: true")
	last := people[1000]
	fetch(s, "p1000", "password of p1000").OK()
	d.set(func() { last.attributes["displayName"] = []string{"Robert"} })
	s.RunJob("ldap.sync")
	if all := s.As("olga").Do("GET /users").OK().Body; !strings.Contains(all, `"full_name":"Robert"`) {
		t.Errorf("%s", all)
	}
}
