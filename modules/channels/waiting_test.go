package channels_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// Clients registered before a user became a full member, or before the user was notified of it, arrive at the same
// channels as a new /register.
func TestVisibilityByQueue(t *testing.T) {
	s := startAll(t)
	set := func(call string, params ...string) { t.Helper(); s.As("olga").Do(call, params...).OK() }
	circle := s.As("olga").Do("POST /user_groups/create", "name", "circle", "description", "", "members", "[]",
		"subgroups", "[5]").OK().Int("group_id")
	for name, who := range map[string]string{"grown": "5", "around": fmt.Sprint(circle)} {
		set("POST /channels/create", "name", name, "invite_only", "true", "subscribers", list(s, "olga"),
			"can_subscribe_group", who)
	}
	alice := "/users/" + id(s, "alice")
	begin := func() (*queue, map[int64]any) { // channel names by ID
		t.Helper()
		q := s.As("alice").Register("event_types", `["stream"]`, "queue_lifespan_secs", "604800")
		var res struct{ Streams []map[string]any }
		q.Start.JSON(&res)
		all := map[int64]any{}
		for _, c := range res.Streams {
			all[number(c["stream_id"])] = c["name"]
		}
		return &queue{q, "alice"}, all
	}
	applyEvents := func(q *queue, all map[int64]any) { // applies events as clients do
		t.Helper()
		for _, e := range q.Next() {
			switch e["op"] {
			case "delete":
				for _, c := range numbers(e["stream_ids"]) {
					delete(all, c)
				}
			case "create":
				for _, c := range e["streams"].([]any) {
					c := c.(map[string]any)
					if id := number(c["stream_id"]); all[id] == nil {
						all[id] = c["name"]
					}
				}
			case "update":
				if id := number(e["stream_id"]); all[id] != nil && e["property"] == "name" {
					all[id] = e["value"]
				}
			}
		}
	}
	calls := func(all ...string) func() { // with one parameter each
		return func() {
			t.Helper()
			for call := range slices.Chunk(all, 3) {
				if call[1] == "" {
					set(call[0])
				} else {
					set(call[0], call[1:]...)
				}
			}
		}
	}
	grown := fmt.Sprintf("PATCH /streams/%d", channelID(s, "grown"))
	member := calls("PATCH "+alice, "role", "400")
	for _, row := range []struct {
		name string
		do   func()
		undo func() // what the next row must not start with
	}{
		{name: "nothing", do: func() {}},
		{name: "lowered", do: calls("PATCH "+alice, "role", "600"), undo: member},
		{name: "promoted", do: calls("PATCH "+alice, "role", "300"), undo: member},
		{name: "promoted and back", do: calls("PATCH "+alice, "role", "300", "PATCH "+alice, "role", "400")},
		{name: "promoted and lowered", do: calls("PATCH "+alice, "role", "300", "PATCH "+alice, "role", "600"), undo: member},
		{name: "a subgroup is removed", do: calls(fmt.Sprintf("POST /user_groups/%d/subgroups", circle), "delete", "[5]"),
			undo: calls(fmt.Sprintf("POST /user_groups/%d/subgroups", circle), "add", "[5]")},
		{name: "into a group", do: calls(fmt.Sprintf("POST /user_groups/%d/members", circle), "add", list(s, "alice")),
			undo: calls(fmt.Sprintf("POST /user_groups/%d/members", circle), "delete", list(s, "alice"))},
		{name: "into a group and out", do: calls(fmt.Sprintf("POST /user_groups/%d/members", circle), "add", list(s, "alice"),
			fmt.Sprintf("POST /user_groups/%d/members", circle), "delete", list(s, "alice"))},
		{name: "another user is deactivated and reactivated",
			do: calls("DELETE /users/"+id(s, "bob"), "", "", "POST /users/"+id(s, "bob")+"/reactivate", "", "")},
		{name: "a longer waiting period", do: calls("PATCH /realm", "waiting_period_threshold", "5000")},
		{name: "a shorter one", do: calls("PATCH /realm", "waiting_period_threshold", "1")},
		{name: "none", do: calls("PATCH /realm", "waiting_period_threshold", "0")},
		{name: "kept by an edit", do: calls(grown, "can_subscribe_group",
			fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[]}}`, list(s, "alice"))),
			undo: calls(grown, "can_subscribe_group", `{"new":5}`)},
		{name: "lost by an edit", do: calls(grown, "can_subscribe_group", `{"new":4}`),
			undo: calls(grown, "can_subscribe_group", `{"new":5}`)},
		{name: "open to all", do: calls(grown, "is_private", "false"), undo: calls(grown, "is_private", "true")},
		{name: "another name", do: calls(grown, "new_name", "older"), undo: calls(grown, "new_name", "grown")},
		{name: "archived", do: calls("DELETE /streams/"+fmt.Sprint(channelID(s, "grown")), "", ""),
			undo: calls(grown, "is_archived", "false")},
		{name: "archived and back", do: calls("DELETE /streams/"+fmt.Sprint(channelID(s, "grown")), "", "", grown,
			"is_archived", "false")},
		{name: "subscribed", do: func() {
			set("POST /users/me/subscriptions", "subscriptions", `[{"name":"grown"}]`, "principals", list(s, "alice"))
		}, undo: func() {
			set("DELETE /users/me/subscriptions", "subscriptions", `["grown"]`, "principals", list(s, "alice"))
		}},
		{name: "subscribed and not", do: func() {
			set("POST /users/me/subscriptions", "subscriptions", `[{"name":"grown"}]`, "principals", list(s, "alice"))
			set("DELETE /users/me/subscriptions", "subscriptions", `["grown"]`, "principals", list(s, "alice"))
		}},
	} {
		days := int(s.Clock.Now().Sub(kittest.Epoch())/(24*time.Hour)) + 2
		set("PATCH /realm", "waiting_period_threshold", fmt.Sprint(days))
		s.RunJob("accounts.waiting period")
		early, first := begin()
		s.Clock.Advance(2*24*time.Hour + 20*time.Second)
		late, second := begin()
		if len(second) != len(first)+2 {
			t.Fatalf("%s: %v, and a full member %v", row.name, first, second)
		}
		row.do()
		applyEvents(late, second)
		if _, now := begin(); fmt.Sprint(second) != fmt.Sprint(now) {
			t.Errorf("%s: immediately, the later queue has %v, register %v", row.name, second, now)
		}
		s.RunJob("accounts.waiting period")
		applyEvents(early, first)
		applyEvents(late, second)
		_, now := begin()
		if fmt.Sprint(first) != fmt.Sprint(now) {
			t.Errorf("%s: the earlier queue has %v, register %v", row.name, first, now)
		}
		if fmt.Sprint(second) != fmt.Sprint(now) {
			t.Errorf("%s: the later queue has %v, register %v", row.name, second, now)
		}
		if row.undo != nil {
			row.undo()
		}
	}
	// Deactivated users have no queues; reactivated ones start with the current state.
	set("PATCH /realm", "waiting_period_threshold", fmt.Sprint(int(s.Clock.Now().Sub(kittest.Epoch())/(24*time.Hour))+2))
	s.Clock.Advance(2*24*time.Hour + 20*time.Second)
	set("DELETE " + alice)
	set("POST " + alice + "/reactivate")
	s.LogIn("alice")
	q, all := begin()
	s.RunJob("accounts.waiting period")
	applyEvents(q, all)
	if _, now := begin(); fmt.Sprint(all) != fmt.Sprint(now) {
		t.Errorf("deactivated and back: the queue has %v, register %v", all, now)
	}
}
