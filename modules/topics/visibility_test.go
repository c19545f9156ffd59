package topics_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
)

const older = `["muted_topics"]`

// listener is a legacy client and the last list it received.
type listener struct {
	*kittest.Queue
	name string
	list string
}

func listen(s *kittest.Server, name string) *listener {
	s.T.Helper()
	q := s.As(name).Register("event_types", older, "fetch_event_types", older, "queue_lifespan_secs", "604800")
	return &listener{q, name, kittest.JSON(q.Start.Get("muted_topics"))}
}

// poll applies the pending events and checks that the list matches /register.
func (l *listener) poll(t *testing.T, after string) {
	t.Helper()
	for _, e := range l.Next() {
		l.list = kittest.JSON(e["muted_topics"])
	}
	now := kittest.JSON(l.Do("POST /register", "event_types", older, "fetch_event_types", older).OK().Get("muted_topics"))
	if l.list != now {
		t.Errorf("%s: from events %s has %s, from register %s", after, l.name, l.list, now)
	}
}

// The list of muted topics is sent again to users when a channel with topics that they have muted becomes visible to
// them, is hidden from them, or is renamed. Other users receive nothing.
func TestMutedTopicsByVisibility(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		hidden := s.createPrivate("hidden", true, "alice", "bob", "mona", "guest", "adam")
		for _, who := range []string{"bob", "mona", "guest", "adam"} {
			s.setPolicy(who, hidden, "plan", 1)
			s.setPolicy(who, hidden, "other", 1)
		}
		s.setPolicy("alice", hidden, "plan", 3) // not muted
		s.setPolicy("guest", int64(s.ChannelID("general")), "open", 1)
		s.As("adam").Do("DELETE /users/me/subscriptions", "subscriptions", `["hidden"]`).OK() // he can still see it
		ids := func(who ...string) string {
			var all []int64
			for _, one := range who {
				all = append(all, int64(s.UserID(one)))
			}
			return kittest.JSON(all)
		}
		s.As("olga").Do("PATCH /realm", "enable_spectator_access", "true").OK()
		call := fmt.Sprintf("PATCH /streams/%d", hidden)
		team := s.As("olga").Do("POST /user_groups/create", "name", "team", "description", "", "members",
			"[]").OK().Int("group_id")
		member := fmt.Sprintf("POST /user_groups/%d/members", team)
		s.As("olga").Do(call, "can_add_subscribers_group", fmt.Sprintf(`{"new":%d}`, team)).OK()
		subscribe := func(method, as, channel string, who ...string) []string {
			list := fmt.Sprintf("[%q]", channel)
			if method == "POST" {
				list = fmt.Sprintf(`[{"name":%q}]`, channel)
			}
			return []string{as, method + " /users/me/subscriptions", "subscriptions", list, "principals", ids(who...)}
		}
		role := func(who, role string) []string {
			return []string{"olga", fmt.Sprintf("PATCH /users/%d", s.UserID(who)), "role", role}
		}
		all := []string{"olga", "adam", "mona", "alice", "bob", "guest"}
		var early []*listener
		for _, who := range all {
			early = append(early, listen(s.Server, who))
		}
		for _, row := range []struct {
			do       []string
			notified []string
		}{
			{subscribe("DELETE", "olga", "hidden", "bob"), []string{"bob"}},
			{subscribe("DELETE", "olga", "hidden", "alice"), nil},
			{[]string{"olga", call, "new_name", "Hideout"}, []string{"adam", "mona", "guest"}}, // not bob
			{[]string{"olga", call, "description", "x"}, nil},
			{[]string{"olga", call, "new_name", "hidden"}, []string{"adam", "mona", "guest"}},
			{subscribe("POST", "olga", "hidden", "bob", "alice"), []string{"bob"}},
			{subscribe("DELETE", "bob", "hidden", "bob"), []string{"bob"}},
			{[]string{"olga", member, "add", ids("bob", "alice", "guest")}, []string{"bob"}},
			{subscribe("POST", "olga", "hidden", "bob"), nil}, // he could see it already
			{[]string{"olga", member, "delete", ids("bob")}, nil},
			{subscribe("DELETE", "bob", "hidden", "bob"), []string{"bob"}},
			{role("bob", "200"), []string{"bob"}},
			{role("bob", "400"), []string{"bob"}},
			{[]string{"olga", call, "can_subscribe_group", fmt.Sprintf(`{"new":%d}`, group.Members)}, []string{"bob"}},
			{[]string{"olga", call, "can_subscribe_group", fmt.Sprintf(`{"new":%d}`, group.Nobody)}, []string{"bob"}},
			{[]string{"olga", call, "is_private", "false"}, []string{"bob"}},
			{subscribe("DELETE", "olga", "hidden", "guest"), []string{"guest"}},
			{role("bob", "600"), []string{"bob"}},
			{[]string{"olga", call, "is_web_public", "true"}, []string{"bob", "guest"}},
			{subscribe("POST", "olga", "hidden", "bob"), nil},
			{[]string{"olga", call, "is_private", "true", "is_web_public", "false"}, []string{"guest"}},
			{role("bob", "400"), nil},
			{[]string{"olga", fmt.Sprintf("DELETE /streams/%d", hidden)}, nil},
		} {
			name := fmt.Sprint(row.do)
			var late []*listener
			for _, who := range all {
				late = append(late, listen(s.Server, who))
			}
			s.Skip()
			s.As(row.do[0]).Do(row.do[1], row.do[2:]...).OK()
			want := make([]string, len(row.notified))
			for i, who := range row.notified {
				want[i] = fmt.Sprintf(`muted_topics user:%s {"user":%d}`, who, s.UserID(who))
			}
			t.Run(name, func(t *testing.T) {
				s.In(t).EventsOf("muted_topics", want...)
				for i := range all {
					early[i].poll(t, "early")
					late[i].poll(t, "late")
				}
			})
		}
		s.EventsOf("user_topic") // the policies themselves do not change
	})
}

// Channels also become visible to users whose accounts become old enough.
func TestMutedTopicsByTime(t *testing.T) {
	s := policyServer{start(t, "")}
	hidden := s.createPrivate("hidden", true, "bob", "mona")
	s.setPolicy("bob", hidden, "plan", 1)
	s.setPolicy("mona", hidden, "plan", 1)
	do := func(call string, params ...string) func() {
		return func() { t.Helper(); s.As("olga").Do(call, params...).OK() }
	}
	wait := func(days int) func() {
		return do("PATCH /realm", "waiting_period_threshold", fmt.Sprint(days))
	}
	bob, channel := fmt.Sprint(s.UserID("bob")), fmt.Sprintf("PATCH /streams/%d", hidden)
	role := func(r string) func() { return do("PATCH /users/"+bob, "role", r) }
	subscribe := do("POST /users/me/subscriptions", "subscriptions", `[{"name":"hidden"}]`, "principals", "["+bob+"]")
	leave := do("DELETE /users/me/subscriptions", "subscriptions", `["hidden"]`, "principals", "["+bob+"]")
	leave()
	do(channel, "can_subscribe_group", fmt.Sprintf(`{"new":%d}`, group.FullMembers))()
	for _, row := range []struct {
		name string
		do   []func()
		undo func()
	}{
		{name: "nothing"},
		{name: "a longer wait", do: []func(){wait(5000)}},
		{name: "a shorter one", do: []func(){wait(1)}},
		{name: "none", do: []func(){wait(0)}},
		{name: "promoted", do: []func(){role("300")}, undo: role("400")},
		{name: "lowered", do: []func(){role("600")}, undo: role("400")},
		{name: "promoted and back", do: []func(){role("300"), role("400")}},
		{name: "subscribed", do: []func(){subscribe}, undo: leave},
		{name: "subscribed and not", do: []func(){subscribe, leave}},
		{name: "public", do: []func(){do(channel, "is_private", "false")}, undo: do(channel, "is_private", "true")},
		{name: "another name", do: []func(){do(channel, "new_name", "Hidden")}, undo: do(channel, "new_name", "hidden")},
	} {
		t.Run(row.name, func(t *testing.T) {
			wait(int(s.Clock.Now().Sub(kittest.Epoch())/(24*time.Hour)) + 2)()
			s.RunJob("accounts.waiting period")
			early := []*listener{listen(s.Server, "bob"), listen(s.Server, "mona"), listen(s.Server, "alice")}
			s.Clock.Advance(2*24*time.Hour + 20*time.Second)
			late := listen(s.Server, "bob")
			if early[0].list == late.list {
				t.Fatalf("%s, and for a full member the same", late.list)
			}
			for _, do := range row.do {
				do()
			}
			s.Skip()
			s.RunJob("accounts.waiting period")
			for _, e := range s.Log() {
				if e.Type == "muted_topics" && string(e.Payload) != `{"user":`+bob+`}` {
					t.Errorf("the job sent %s", e.Payload)
				}
			}
			late.poll(t, "late")
			for _, l := range early {
				l.poll(t, "early")
			}
			if row.undo != nil {
				row.undo()
			}
		})
	}
}
