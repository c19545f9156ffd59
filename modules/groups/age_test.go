package groups_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
)

// Members become full members when their account is old enough and when the waiting period changes; all users are
// notified.
func TestFullMembersByAge(t *testing.T) {
	s := start(t)
	members := ids(s, "alice", "bob", "bot")
	memberEvent := func(op string) string {
		return fmt.Sprintf(`user_group/%s everyone {"group_id":%d,"user_ids":%s}`, op, group.FullMembers, members)
	}
	wait := func(days string, want ...string) {
		t.Helper()
		s.As("olga").Do("PATCH /realm", "waiting_period_threshold", days).OK()
		s.EventsOf("user_group", want...)
	}
	wait("2", memberEvent("remove_members"))
	wait("3")
	s.Clock.Advance(3*24*time.Hour - time.Second)
	s.RunJob("accounts.waiting period")
	s.EventsOf("user_group")
	s.Clock.Advance(time.Second)
	s.RunJob("accounts.waiting period")
	s.EventsOf("user_group", memberEvent("add_members"))
	wait("4", memberEvent("remove_members"))
	wait("1", memberEvent("add_members"))
}

// Users who have become full members before the job runs are announced in time, regardless of what changes in between.
func TestFullMembersBeforeTheJobRuns(t *testing.T) {
	s := start(t)
	memberEvent := func(op string, g group.ID, who ...string) string {
		return fmt.Sprintf(`user_group/%s everyone {"group_id":%d,"user_ids":%s}`, op, g, ids(s, who...))
	}
	wait := func(days string, want ...string) {
		t.Helper()
		s.As("olga").Do("PATCH /realm", "waiting_period_threshold", days).OK()
		s.EventsOf("user_group", want...)
	}
	role := func(who, role string, want ...string) {
		t.Helper()
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID(who)), "role", role).OK()
		s.EventsOf("user_group", want...)
	}
	job := func(want ...string) {
		t.Helper()
		s.RunJob("accounts.waiting period")
		s.EventsOf("user_group", want...)
	}
	wait("3", memberEvent("remove_members", group.FullMembers, "alice", "bob", "bot"))
	s.Clock.Advance(3*24*time.Hour + 20*time.Second)
	role("alice", "300", memberEvent("remove_members", group.FullMembers, "alice"),
		memberEvent("remove_members", group.Members, "alice"), memberEvent("add_members", group.Moderators, "alice"))
	role("alice", "400", memberEvent("remove_members", group.Moderators, "alice"),
		memberEvent("add_members", group.FullMembers, "alice"), memberEvent("add_members", group.Members, "alice"))
	// Clients that have registered since must be notified of the removal.
	wait("4", memberEvent("remove_members", group.FullMembers, "alice", "bob", "bot"))
	s.Clock.Advance(24 * time.Hour)
	wait("2", memberEvent("add_members", group.FullMembers, "alice", "bob", "bot"))
	job()
	wait("10", memberEvent("remove_members", group.FullMembers, "alice", "bob", "bot"))
	s.Clock.Advance(6 * 24 * time.Hour)
	role("alice", "300", memberEvent("remove_members", group.FullMembers, "alice"),
		memberEvent("remove_members", group.Members, "alice"), memberEvent("add_members", group.Moderators, "alice"))
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
	s.EventsOf("user_group", memberEvent("remove_members", group.FullMembers, "bob"),
		memberEvent("remove_members", group.Members, "bob"))
	s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("bob"))).OK()
	s.EventsOf("user_group", memberEvent("add_members", group.FullMembers, "bob"),
		memberEvent("add_members", group.Members, "bob"))
	job(memberEvent("add_members", group.FullMembers, "bob", "bot"))
	job()
	s.Clock.Advance(30 * 24 * time.Hour) // no user has become a full member since
	role("alice", "400", memberEvent("remove_members", group.Moderators, "alice"),
		memberEvent("add_members", group.FullMembers, "alice"), memberEvent("add_members", group.Members, "alice"))
	job()
}

// Clients registered before a user became a full member, or before the notification, arrive at the same state as a new
// /register.
func TestFullMembersByQueue(t *testing.T) {
	s := start(t)
	set := func(call string, params ...string) { t.Helper(); s.As("olga").Do(call, params...).OK() }
	one := fmt.Sprintf("/users/%d", s.UserID("alice"))
	begin := func() (*kittest.Queue, map[int64][]int64) {
		t.Helper()
		q := register(s.As("olga"), "queue_lifespan_secs", "604800")
		a := q.Start
		var res struct {
			Groups []struct {
				ID      int64   `json:"id"`
				Members []int64 `json:"members"`
			} `json:"realm_user_groups"`
		}
		a.JSON(&res)
		all := map[int64][]int64{}
		for _, g := range res.Groups {
			slices.Sort(g.Members)
			all[g.ID] = g.Members
		}
		return q, all
	}
	applyEvents := func(q *kittest.Queue, all map[int64][]int64) {
		t.Helper()
		for _, text := range q.Texts() {
			var e struct {
				Op    string  `json:"op"`
				Group int64   `json:"group_id"`
				Users []int64 `json:"user_ids"`
			}
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatal(err)
			}
			now := slices.DeleteFunc(slices.Clone(all[e.Group]), func(u int64) bool { return slices.Contains(e.Users, u) })
			if e.Op == "add_members" {
				now = append(now, e.Users...)
			}
			slices.Sort(now)
			all[e.Group] = now
		}
	}
	for _, row := range []struct {
		name string
		do   func()
	}{
		{"nothing", func() {}},
		{"lowered", func() { set("PATCH "+one, "role", "600") }},
		{"promoted", func() { set("PATCH "+one, "role", "300") }},
		{"promoted and back", func() { set("PATCH "+one, "role", "300"); set("PATCH "+one, "role", "400") }},
		{"deactivated", func() { set("DELETE " + one) }},
		{"deactivated and back", func() { set("DELETE " + one); set("POST " + one + "/reactivate") }},
		{"a longer waiting period", func() { set("PATCH /realm", "waiting_period_threshold", "5000") }},
		{"a shorter one", func() { set("PATCH /realm", "waiting_period_threshold", "1") }},
		{"none", func() { set("PATCH /realm", "waiting_period_threshold", "0") }},
	} {
		for _, job := range []bool{true, false} {
			days := int(s.Clock.Now().Sub(kittest.Epoch())/(24*time.Hour)) + 2
			set("PATCH /realm", "waiting_period_threshold", fmt.Sprint(days))
			s.RunJob("accounts.waiting period")
			early, first := begin()
			s.Clock.Advance(2*24*time.Hour + 20*time.Second)
			late, second := begin()
			if fmt.Sprint(first) == fmt.Sprint(second) {
				t.Fatalf("%s: no user became a full member", row.name)
			}
			row.do()
			applyEvents(late, second)
			if _, now := begin(); row.name != "nothing" && fmt.Sprint(second) != fmt.Sprint(now) {
				t.Errorf("%s: immediately, the later queue has\n%v, register\n%v", row.name, second, now)
			}
			if job {
				s.RunJob("accounts.waiting period")
			} else {
				set("PATCH /realm", "waiting_period_threshold", "6000")
			}
			applyEvents(early, first)
			applyEvents(late, second)
			_, now := begin()
			if fmt.Sprint(first) != fmt.Sprint(now) {
				t.Errorf("%s: the earlier queue has\n%v, register\n%v", row.name, first, now)
			}
			if fmt.Sprint(second) != fmt.Sprint(now) {
				t.Errorf("%s: the later queue has\n%v, register\n%v", row.name, second, now)
			}
			switch row.name {
			case "deactivated":
				set("POST " + one + "/reactivate")
			case "lowered", "promoted":
				set("PATCH "+one, "role", "400")
			}
		}
	}
}

// Users created by an administrator join at the first login; their waiting period starts then, whatever the age of the
// account.
func TestFullMembersFromTheirFirstLogin(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "waiting_period_threshold", "3").OK()
	made := func(name string) string {
		return fmt.Sprint(s.As("olga").Do("POST /users", "email", name+"@example.com", "full_name", name, "password",
			kittest.Password).OK().Int("user_id"))
	}
	login := func(name string, want ...string) {
		t.Helper()
		s.Skip()
		s.Anonymous().Do("POST /fetch_api_key", "username", name+"@example.com", "password", kittest.Password).OK()
		s.EventsOf("user_group", want...)
	}
	job := func(want ...string) {
		t.Helper()
		s.Skip()
		s.RunJob("accounts.waiting period")
		s.EventsOf("user_group", want...)
	}
	memberEvent := func(op, id string) string {
		return fmt.Sprintf(`user_group/%s everyone {"group_id":%d,"user_ids":[%s]}`, op, group.FullMembers, id)
	}
	s.Clock.Advance(10 * 24 * time.Hour)
	s.RunJob("accounts.waiting period")
	nina := made("nina")
	s.Clock.Advance(3 * 24 * time.Hour)
	job(memberEvent("add_members", nina))
	login("nina", memberEvent("remove_members", nina))
	login("nina")
	s.Clock.Advance(3*24*time.Hour - time.Second)
	job()
	s.Clock.Advance(time.Second)
	job(memberEvent("add_members", nina))
	login("nina")
}

// Without a waiting period, new users are full members immediately and stay so at their first login. The clock advances
// in the meantime.
func TestFullMembersFromTheBeginning(t *testing.T) {
	s := startWith(t, kittest.NewTickingClock())
	id := s.As("olga").Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password",
		kittest.Password).OK().Int("user_id")
	addedEvent := func(g group.ID) string {
		return fmt.Sprintf(`user_group/add_members everyone {"group_id":%d,"user_ids":[%d]}`, g, id)
	}
	s.EventsOf("user_group", addedEvent(group.FullMembers), addedEvent(group.Members))
	s.Clock.Advance(time.Hour)
	s.Anonymous().Do("POST /fetch_api_key", "username", "nina@example.com", "password", kittest.Password).OK()
	s.EventsOf("user_group")
	if got := s.As("bob").Do(fmt.Sprintf("GET /users/%d",
		id)).OK().String("user.date_joined"); got != "2026-06-01T13:00+00:00" {
		t.Errorf("joined at %s", got)
	}
	s.Clock.Advance(-2 * time.Hour) // another node's clock is behind
	if got := s.As("bob").Do(fmt.Sprintf("GET /user_groups/%d/members/%d", group.FullMembers,
		id)).OK(); got.Get("is_user_group_member") != true {
		t.Errorf("%s", got.Body)
	}
}
