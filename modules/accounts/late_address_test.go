package accounts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// people holds what a client knows of the users that it can see, by id.
type people map[int64]map[string]any

// peopleOf reads people from an answer of /register.
func peopleOf(a *kittest.Answer) people {
	all := people{}
	for _, u := range a.Get("realm_users").([]any) {
		all.put(u)
	}
	return all
}

func (p people) put(u any) {
	text, _ := json.Marshal(u)
	var r map[string]any
	if err := json.Unmarshal(text, &r); err != nil {
		panic(err) // mistake in the test
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
func (p people) apply(t *testing.T, text string) {
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

// addresses returns the known addresses, avatars and time zones.
func (p people) addresses() string {
	of := map[int64]string{}
	for id, u := range p {
		of[id] = fmt.Sprint(u["email"], " ", u["delivery_email"], " ", u["avatar_url"], " ", u["timezone"])
	}
	return strings.ReplaceAll(kittest.JSON(of), "<nil>", "null")
}

// Delayed delivery never reveals an address that the receiver may not see now, or never could. The resulting state
// matches /register.
func TestAddressesOfSlowQueues(t *testing.T) {
	for _, c := range []struct {
		name   string
		who    string // owns the queue
		before func(s *kittest.Server)
		do     func(s *kittest.Server)
		secret string
		told   string // expected besides
	}{
		{"shown for a while, with another time zone", "bob",
			func(s *kittest.Server) { targetSettings(s, "alice", 3) },
			func(s *kittest.Server) {
				targetSettings(s, "alice", 1)
				s.As("alice").Do("PATCH /settings", "timezone", "Europe/Rome").OK()
				targetSettings(s, "alice", 4)
			}, "alice@example.com", `"timezone":"Europe/Rome"`},
		{"of a user who shows it", "bob",
			func(s *kittest.Server) { targetSettings(s, "alice", 3) },
			func(s *kittest.Server) {
				s.As("alice").Do("PATCH /settings", "timezone", "Europe/Rome").OK()
				targetSettings(s, "alice", 1)
			}, "", `"delivery_email":"alice@example.com"`},
		{"promoted for a while", "bob",
			func(s *kittest.Server) { targetSettings(s, "alice", 3) },
			func(s *kittest.Server) { ranks(s, "bob", 200); ranks(s, "bob", 400) }, "alice@example.com", `"role":200`},
		{"promoted", "bob",
			func(s *kittest.Server) { targetSettings(s, "alice", 3); targetSettings(s, "mona", 4) },
			func(s *kittest.Server) { ranks(s, "bob", 200) }, "mona@example.com", `"delivery_email":"alice@example.com"`},
		{"promoted, and changed since", "bob",
			func(s *kittest.Server) { targetSettings(s, "alice", 3) },
			func(s *kittest.Server) { ranks(s, "bob", 200); moves(s, "alice", "second@example.com") }, "alice@example.com",
			"second@example.com"},
		{"promoted to be no guest", "guest",
			func(s *kittest.Server) { restricts(s); targetSettings(s, "mona", 2) },
			func(s *kittest.Server) { ranks(s, "guest", 400); ranks(s, "guest", 600) }, "mona@example.com", `"role":400`},
		{"new, changed, then shown", "bob",
			func(s *kittest.Server) { hidden(s) },
			func(s *kittest.Server) { joins(s); moves(s, "new", "second@example.com"); targetSettings(s, "new", 1) },
			"new@example.com",
			"second@example.com"},
		{"new, changed, then shown to members", "bob",
			func(s *kittest.Server) { hidden(s) },
			func(s *kittest.Server) { joins(s); moves(s, "new", "second@example.com"); targetSettings(s, "new", 2) },
			"new@example.com",
			"second@example.com"},
		{"new, then shown and changed", "bob",
			func(s *kittest.Server) { hidden(s) },
			func(s *kittest.Server) { joins(s); targetSettings(s, "new", 1); moves(s, "new", "second@example.com") },
			"new@example.com",
			"second@example.com"},
		{"new, and hidden since", "bob", func(*kittest.Server) {},
			func(s *kittest.Server) { joins(s); targetSettings(s, "new", 4) },
			"new@example.com", `"op":"add"`},
		{"new, and shown to administrators", "bob",
			func(s *kittest.Server) { hidden(s) },
			func(s *kittest.Server) { joins(s); ranks(s, "bob", 200); targetSettings(s, "new", 3) }, "", "new@example.com"},
		{"changed twice", "bob", func(*kittest.Server) {},
			func(s *kittest.Server) {
				moves(s, "alice", "mistaken@example.com")
				moves(s, "alice", "second@example.com")
			}, "mistaken@example.com", "second@example.com"},
		{"met, changed, then shown", "guest",
			func(s *kittest.Server) { restricts(s); targetSettings(s, "mona", 4) },
			func(s *kittest.Server) {
				s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals",
					path(s, "[%d]", "mona")).OK()
				moves(s, "mona", "second@example.com")
				targetSettings(s, "mona", 1)
			}, "mona@example.com", "second@example.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, "change_emails: true")
			c.before(s)
			listens := []string{"event_types", `["realm_user"]`, "client_capabilities", `{"user_list_incomplete":true}`}
			q := s.As(c.who).Register(listens...)
			a := q.Start
			known := peopleOf(a)
			c.do(s)
			events := q.Texts()
			all := strings.Join(events, "\n")
			if c.secret != "" && strings.Contains(all, c.secret) || !strings.Contains(all, c.told) {
				t.Errorf("%s hears\n%s", c.who, all)
			}
			for _, e := range events {
				known.apply(t, e)
			}
			a = s.As(c.who).Register(listens...).Start
			if got, want := known.addresses(), peopleOf(a).addresses(); got != want {
				t.Errorf("from events\n%s\nfrom register\n%s", got, want)
			}
		})
	}
}

// idOf returns the id of a user of the test, or of the new one.
func idOf(s *kittest.Server, who string) int64 {
	s.T.Helper()
	if who != "new" {
		return int64(s.UserID(who))
	}
	for id, u := range peopleOf(s.As("olga").Do("POST /register", "fetch_event_types", `["realm_user"]`).OK()) {
		if u["full_name"] == "New" {
			return id
		}
	}
	s.T.Fatal("no user has joined")
	return 0
}

func targetSettings(s *kittest.Server, who string, to int) {
	s.T.Helper()
	s.As("olga").Do("PATCH /settings", "target_users", fmt.Sprintf(`{"user_ids":[%d]}`, idOf(s, who)),
		"email_address_visibility", fmt.Sprint(to)).OK()
}

func ranks(s *kittest.Server, who string, role int) {
	s.T.Helper()
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", idOf(s, who)), "role", fmt.Sprint(role)).OK()
}

func moves(s *kittest.Server, who, address string) {
	s.T.Helper()
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", idOf(s, who)), "new_email", address).OK()
}

// hidden hides the addresses of new users from everyone.
func hidden(s *kittest.Server) {
	s.T.Helper()
	s.As("olga").Do("PATCH /realm/user_settings_defaults", "email_address_visibility", "4").OK()
}

// joins creates a user called new.
func joins(s *kittest.Server) {
	s.T.Helper()
	s.As("olga").Do("POST /users", "email", "new@example.com", "full_name", "New", "password", "abc123def").OK()
}

func restricts(s *kittest.Server) {
	s.T.Helper()
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
}
