package accounts_test

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// knownUsers holds the user records of a client, by ID.
type knownUsers map[int64]map[string]any

// knownUsersOf returns the users in a /register response.
func knownUsersOf(a *kittest.Response) knownUsers {
	all := knownUsers{}
	for _, u := range a.Get("realm_users").([]any) {
		all.put(u)
	}
	return all
}

func (p knownUsers) put(u any) {
	text, _ := json.Marshal(u)
	var r map[string]any
	if err := json.Unmarshal(text, &r); err != nil {
		panic(err) // a mistake in the test
	}
	id := int64(r["user_id"].(float64))
	if p[id] == nil {
		p[id] = map[string]any{}
	}
	if r["new_email"] != nil {
		r["email"] = r["new_email"]
		delete(r, "new_email")
	}
	maps.Copy(p[id], r)
}

// apply updates p from an event as clients do.
func (p knownUsers) apply(t *testing.T, text string) {
	t.Helper()
	var e struct {
		Op     string
		Person map[string]any
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	if p.put(e.Person); e.Op == "remove" {
		delete(p, int64(e.Person["user_id"].(float64)))
	}
}

// addresses returns the known email addresses, avatars and time zones, for comparison. A picture at the address that
// the client computes itself counts as none: only events contain that URL.
func (p knownUsers) addresses() string {
	of := map[int64]string{}
	for id, u := range p {
		picture := u["avatar_url"]
		sum := md5.Sum(fmt.Append(nil, u["delivery_email"]))
		if url, _ := picture.(string); strings.HasPrefix(url, fmt.Sprintf("https://secure.gravatar.com/avatar/%x?", sum)) {
			picture = nil
		}
		of[id] = fmt.Sprint(u["email"], " ", u["delivery_email"], " ", picture, " ", u["timezone"])
	}
	return strings.ReplaceAll(kittest.JSON(of), "<nil>", "null")
}

// Events delivered late never reveal an address that the receiver cannot see any more, or never could. The resulting
// state matches /register.
func TestAddressesOfSlowQueues(t *testing.T) {
	for _, c := range []struct {
		name   string
		who    string // owns the queue
		before func(s *kittest.Server)
		do     func(s *kittest.Server)
		secret string
		want   string // part of the received events
	}{
		{"shown for a while, with another time zone", "bob",
			func(s *kittest.Server) { setVisibility(s, "alice", 3) },
			func(s *kittest.Server) {
				setVisibility(s, "alice", 1)
				s.As("alice").Do("PATCH /settings", "timezone", "Europe/Rome").OK()
				setVisibility(s, "alice", 4)
			}, "alice@example.com", `"timezone":"Europe/Rome"`},
		{"of a user who shows it", "bob",
			func(s *kittest.Server) { setVisibility(s, "alice", 3) },
			func(s *kittest.Server) {
				s.As("alice").Do("PATCH /settings", "timezone", "Europe/Rome").OK()
				setVisibility(s, "alice", 1)
			}, "", `"delivery_email":"alice@example.com"`},
		{"promoted for a while", "bob",
			func(s *kittest.Server) { setVisibility(s, "alice", 3) },
			func(s *kittest.Server) { setRole(s, "bob", 200); setRole(s, "bob", 400) }, "alice@example.com", `"role":200`},
		{"promoted", "bob",
			func(s *kittest.Server) { setVisibility(s, "alice", 3); setVisibility(s, "mona", 4) },
			func(s *kittest.Server) { setRole(s, "bob", 200) }, "mona@example.com", `"delivery_email":"alice@example.com"`},
		{"promoted, and changed since", "bob",
			func(s *kittest.Server) { setVisibility(s, "alice", 3) },
			func(s *kittest.Server) { setRole(s, "bob", 200); setEmail(s, "alice", "second@example.com") }, "alice@example.com",
			"second@example.com"},
		{"promoted to be no guest", "guest",
			func(s *kittest.Server) { restrictGuests(s); setVisibility(s, "mona", 2) },
			func(s *kittest.Server) { setRole(s, "guest", 400); setRole(s, "guest", 600) }, "mona@example.com", `"role":400`},
		{"new, changed, then shown", "bob",
			func(s *kittest.Server) { hideNewAddresses(s) },
			func(s *kittest.Server) {
				createNew(s)
				setEmail(s, "new", "second@example.com")
				setVisibility(s, "new", 1)
			},
			"new@example.com",
			"second@example.com"},
		{"new, changed, then shown to members", "bob",
			func(s *kittest.Server) { hideNewAddresses(s) },
			func(s *kittest.Server) {
				createNew(s)
				setEmail(s, "new", "second@example.com")
				setVisibility(s, "new", 2)
			},
			"new@example.com",
			"second@example.com"},
		{"new, then shown and changed", "bob",
			func(s *kittest.Server) { hideNewAddresses(s) },
			func(s *kittest.Server) {
				createNew(s)
				setVisibility(s, "new", 1)
				setEmail(s, "new", "second@example.com")
			},
			"new@example.com",
			"second@example.com"},
		{"new, and hidden since", "bob", func(*kittest.Server) {},
			func(s *kittest.Server) { createNew(s); setVisibility(s, "new", 4) },
			"new@example.com", `"op":"add"`},
		{"new, and shown to administrators", "bob",
			func(s *kittest.Server) { hideNewAddresses(s) },
			func(s *kittest.Server) { createNew(s); setRole(s, "bob", 200); setVisibility(s, "new", 3) }, "", "new@example.com"},
		{"changed twice", "bob", func(*kittest.Server) {},
			func(s *kittest.Server) {
				setEmail(s, "alice", "mistaken@example.com")
				setEmail(s, "alice", "second@example.com")
			}, "mistaken@example.com", "second@example.com"},
		{"met, changed, then shown", "guest",
			func(s *kittest.Server) { restrictGuests(s); setVisibility(s, "mona", 4) },
			func(s *kittest.Server) {
				s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals",
					path(s, "[%d]", "mona")).OK()
				setEmail(s, "mona", "second@example.com")
				setVisibility(s, "mona", 1)
			}, "mona@example.com", "second@example.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, "change_emails: true")
			c.before(s)
			listens := []string{"event_types", `["realm_user"]`, "client_capabilities", `{"user_list_incomplete":true}`}
			q := s.As(c.who).Register(listens...)
			a := q.Start
			known := knownUsersOf(a)
			c.do(s)
			events := q.Texts()
			all := strings.Join(events, "\n")
			if c.secret != "" && strings.Contains(all, c.secret) || !strings.Contains(all, c.want) {
				t.Errorf("%s received\n%s", c.who, all)
			}
			for _, e := range events {
				known.apply(t, e)
			}
			a = s.As(c.who).Register(listens...).Start
			if got, want := known.addresses(), knownUsersOf(a).addresses(); got != want {
				t.Errorf("from events\n%s\nfrom register\n%s", got, want)
			}
		})
	}
}

// idOf returns the ID of a test user, or of the user created by createNew if who is "new".
func idOf(s *kittest.Server, who string) int64 {
	s.T.Helper()
	if who != "new" {
		return int64(s.UserID(who))
	}
	for id, u := range knownUsersOf(s.As("olga").Do("POST /register", "fetch_event_types", `["realm_user"]`).OK()) {
		if u["full_name"] == "New" {
			return id
		}
	}
	s.T.Fatal("no user has joined")
	return 0
}

func setVisibility(s *kittest.Server, who string, to int) {
	s.T.Helper()
	s.As("olga").Do("PATCH /settings", "target_users", fmt.Sprintf(`{"user_ids":[%d]}`, idOf(s, who)),
		"email_address_visibility", fmt.Sprint(to)).OK()
}

func setRole(s *kittest.Server, who string, role int) {
	s.T.Helper()
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", idOf(s, who)), "role", fmt.Sprint(role)).OK()
}

func setEmail(s *kittest.Server, who, address string) {
	s.T.Helper()
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", idOf(s, who)), "new_email", address).OK()
}

// hideNewAddresses hides the addresses of new users from everyone.
func hideNewAddresses(s *kittest.Server) {
	s.T.Helper()
	s.As("olga").Do("PATCH /realm/user_settings_defaults", "email_address_visibility", "4").OK()
}

// createNew creates a user with the name New.
func createNew(s *kittest.Server) {
	s.T.Helper()
	s.As("olga").Do("POST /users", "email", "new@example.com", "full_name", "New", "password", "qh7wolves").OK()
}

func restrictGuests(s *kittest.Server) {
	s.T.Helper()
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
}
