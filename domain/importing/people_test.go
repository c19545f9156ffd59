package importing_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

func TestMergePeople(t *testing.T) {
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	people, same := importing.MergePeople([]importing.Person{
		{Key: "1", Email: "ada@example.com", Name: "Ada", Role: user.Member, Inactive: true, Joined: late},
		{Key: "2", Email: "bob@example.com"},
		{Key: "3", Email: " ADA@example.com ", Name: "Other", Role: user.Admin, Joined: early},
		{Key: "4"}, {Key: "5"}, // without an address
	})
	if len(people) != 4 || len(same) != 1 || same["3"] != "1" {
		t.Fatalf("got %v, %v", people, same)
	}
	if p := people[0]; p.Name != "Ada" || p.Role != user.Admin || p.Inactive || !p.Joined.Equal(early) {
		t.Errorf("got %+v", p)
	}
}

func TestChooseOwner(t *testing.T) {
	admins := []importing.Person{
		{Key: "1", Role: user.Admin, Inactive: true}, {Key: "2", Role: user.Admin, Joined: time.Unix(9, 0)},
		{Key: "3", Role: user.Admin, Joined: time.Unix(5, 0)}, {Key: "4", Role: user.Admin, Bot: user.GenericBot},
	}
	if promoted, ok := importing.ChooseOwner(admins); promoted != "3" || !ok || admins[2].Role != user.Owner {
		t.Errorf("got %q, %v", promoted, ok)
	}
	if promoted, ok := importing.ChooseOwner(admins); promoted != "" || !ok {
		t.Errorf("the second time: %q, %v", promoted, ok)
	}
	if _, ok := importing.ChooseOwner([]importing.Person{{Key: "1", Role: user.Member}}); ok {
		t.Error("a member became the owner")
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		email, key, domain, want string
		made                     bool
	}{
		{" ada@example.com ", "U1", "", "ada@example.com", false},
		{"", "U1", "", "u1@import.invalid", true},
		{"nonsense", "Ada.Lovelace", "example.com", "ada-lovelace@example.com", true},
		{"", "日本", "", "e697a5e69cac@import.invalid", true},
	} {
		got, made := importing.Address(c.email, importing.Key(c.key), c.domain)
		if got != c.want || made != c.made {
			t.Errorf("%q, %q: got %q, %v", c.email, c.key, got, made)
		}
		if _, err := user.CheckEmail(got); err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
}
