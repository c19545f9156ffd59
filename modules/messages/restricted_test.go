package messages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// guestQueue is the guest's queue for user events.
type guestQueue struct {
	s *kittest.Server
	*kittest.Queue
}

func nameOf(s *kittest.Server, id int64) string {
	for _, n := range []string{"adam", "alice", "bob", "guest", "mona", "olga"} {
		if int64(s.UserID(n)) == id {
			return n
		}
	}
	return fmt.Sprint(id)
}

func openGuestQueue(s *kittest.Server, who string) *guestQueue {
	return &guestQueue{s, s.As(who).Register("event_types", `["realm_user","message"]`, "client_capabilities",
		`{"user_list_incomplete":true}`)}
}

// kinds returns the new events: "add 7", "remove 4", "update 5 full_name", "message".
func (q *guestQueue) kinds() string {
	q.s.T.Helper()
	var res struct {
		Events []struct {
			Type, Op string
			Person   map[string]any
		}
	}
	q.Take().JSON(&res)
	var all []string
	for _, e := range res.Events {
		line := e.Type
		if e.Type == "realm_user" {
			id, _ := e.Person["user_id"].(float64)
			line = fmt.Sprintf("%s %s", e.Op, nameOf(q.s, int64(id)))
			for k := range e.Person {
				if e.Op == "update" && k != "user_id" {
					line += " " + k
				}
			}
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

// visibleUsers returns the users that a user can see according to GET /users, and checks that /register agrees.
func visibleUsers(s *kittest.Server, who string) string {
	s.T.Helper()
	list := func(a *kittest.Response, key string) []string {
		b, _ := json.Marshal(a.Get(key))
		var us []struct {
			ID  int64 `json:"user_id"`
			Bot bool  `json:"is_bot"`
		}
		if err := json.Unmarshal(b, &us); err != nil {
			s.T.Fatal(err)
		}
		var names []string
		for _, u := range us {
			if !u.Bot {
				names = append(names, nameOf(s, u.ID))
			}
		}
		slices.Sort(names)
		return names
	}
	got := strings.Join(list(s.As(who).Do("GET /users").OK(), "members"), " ")
	at := s.As(who).Do("POST /register", "fetch_event_types", `["realm_user"]`, "client_capabilities",
		`{"user_list_incomplete":true}`).OK()
	if snap := strings.Join(list(at, "realm_users"), " "); snap != got {
		s.T.Errorf("%s sees %q in the list and %q in /register", who, got, snap)
	}
	return got
}

// Restricted guests can see bots, users with whom they share a channel, and users with whom they have exchanged
// messages. They are notified when that set changes.
func TestRestrictedGuests(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, messages.Module, events.Module)
	everybody := "adam alice bob guest mona olga"
	if got := visibleUsers(s, "guest"); got != everybody {
		t.Fatalf("a guest sees %q", got)
	}
	// adam wrote to the guest before the restriction.
	s.As("adam").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("guest")), "content",
		"hello").OK()
	q, other := openGuestQueue(s, "guest"), openGuestQueue(s, "mona")
	step := func(name, received, seen string, do func()) {
		t.Helper()
		do()
		if got := q.kinds(); got != received {
			t.Errorf("%s: the guest received %q, want %q", name, got, received)
		}
		if got := other.kinds(); strings.Contains(got, "remove") || strings.Contains(got, "add ") {
			t.Errorf("%s: a moderator received %q", name, got)
		}
		if got := visibleUsers(s, "guest"); got != seen {
			t.Errorf("%s: the guest sees %q, want %q", name, got, seen)
		}
		s.Restart()
		if got := visibleUsers(s, "guest"); got != seen {
			t.Errorf("%s: after a restart the guest sees %q, want %q", name, got, seen)
		}
	}
	subscribe := func(method, who string, more ...string) {
		t.Helper()
		channels := `[{"name":"general"}]`
		if method == "DELETE" {
			channels = `["general"]`
		}
		s.As("olga").Do(method+" /users/me/subscriptions",
			append([]string{"subscriptions", channels, "principals", ids(s, who)}, more...)...).OK()
	}
	step("the realm restricts", "remove adam, remove mona, add adam", "adam alice bob guest olga", func() {
		s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	})
	step("a user joins", "add mona", everybody,
		func() { subscribe("POST", "mona", "send_new_subscription_messages", "false") })
	step("a user leaves", "remove mona", "adam alice bob guest olga", func() { subscribe("DELETE", "mona") })
	step("a change of a hidden user", "", "adam alice bob guest olga", func() {
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("mona")), "full_name", "Monika").OK()
	})
	s.As("guest").Do(fmt.Sprintf("GET /users/%d", s.UserID("mona"))).Error(400, "BAD_REQUEST", "No such user")
	s.As("guest").Do("POST /messages", "type", "direct", "to", ids(s, "mona"), "content", "hello").Error(400,
		"BAD_REQUEST", "")
	step("the guest leaves", "remove alice, remove bob, remove olga", "adam guest",
		func() { subscribe("DELETE", "guest") })
	step("a user writes", "add mona, message", "adam guest mona", func() {
		s.As("mona").Do("POST /messages", "type", "direct", "to", ids(s, "guest"), "content", "hello").OK()
	})
	step("writes again", "message", "adam guest mona", func() {
		s.As("mona").Do("POST /messages", "type", "direct", "to", ids(s, "guest"), "content", "again").OK()
	})
	step("several write", "add alice, add olga, message", "adam alice guest mona olga", func() {
		s.As("alice").Do("POST /messages", "type", "direct", "to", ids(s, "guest", "olga", "mona"), "content", "all").OK()
	})
	step("the guest returns", "add bob", everybody,
		func() { subscribe("POST", "guest", "send_new_subscription_messages", "false") })
	step("a user is deactivated", "remove bob", "adam alice guest mona olga",
		func() { s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK() })
	step("and is back", "add bob", everybody,
		func() { s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("bob"))).OK() })
	step("the guest is one no more", "update guest role", everybody, func() {
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("guest")), "role", "400").OK()
	})
	subscribe("DELETE", "bob")
	if got := q.kinds(); got != "" {
		t.Errorf("a member received %q", got)
	}
	step("and is one again", "update guest role, remove bob, remove adam, remove mona, add adam, add mona",
		"adam alice guest mona olga", func() {
			s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("guest")), "role", "600").OK()
		})
	step("the realm restricts no more", "add bob", everybody, func() {
		s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":7}`).OK()
	})
}
