package channels_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

func startAll(t *testing.T) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
}

// setting returns the new value of a permission that names users.
func setting(s *kittest.Server, who ...string) string {
	return fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[]}}`, list(s, who...))
}

// Changes of users and groups make channels visible to users or hide them.
func TestVisibility(t *testing.T) {
	s := startAll(t)
	channel := func(name string, params ...string) string {
		t.Helper()
		s.As("olga").Do("POST /channels/create", append([]string{"name", name, "subscribers", list(s, "olga", "bot")},
			params...)...).OK()
		return fmt.Sprint(channelID(s, name))
	}
	group := func(name string, params ...string) string {
		t.Helper()
		return fmt.Sprint(s.As("olga").Do("POST /user_groups/create",
			append([]string{"name", name, "description", "", "members", "[]"}, params...)...).OK().Int("group_id"))
	}
	inner := group("inner")
	outer := group("outer", "subgroups", "["+inner+"]")
	set := func(of, name, value string) {
		t.Helper()
		s.As("olga").Do("PATCH /streams/"+of, name, value).OK()
	}
	admins, subscribe := channel("admins", "invite_only", "true"), channel("subscribe", "invite_only", "true")
	add, old := channel("add", "invite_only", "true"), channel("old", "invite_only", "true")
	plain := channel("plain", "invite_only", "true")
	set(admins, "can_administer_channel_group", `{"new":`+outer+`}`)
	set(subscribe, "can_subscribe_group", `{"new":{"direct_members":[],"direct_subgroups":[`+inner+`]}}`)
	set(add, "can_add_subscribers_group", `{"new":`+inner+`}`)
	set(old, "can_subscribe_group", `{"new":`+outer+`}`)
	s.As("olga").Do("DELETE /streams/" + old).OK()
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(s.ChannelID("general"))).OK()

	do := func(call string, params ...string) func(*kittest.Server) {
		return func(s *kittest.Server) { s.T.Helper(); s.As("olga").Do(call, params...).OK() }
	}
	members := func(g, op string, who ...string) func(*kittest.Server) {
		return do("POST /user_groups/"+g+"/members", op, list(s, who...))
	}
	role := func(who, role string) func(*kittest.Server) { return do("PATCH /users/"+id(s, who), "role", role) }
	const appears, disappears = "stream/create subscription/peer_add", "stream/delete"
	all := follow(s)
	for _, row := range []struct {
		name string
		do   func(*kittest.Server)
		want []string
	}{
		{"into a group that is within one that is named, four channels", members(inner, "add", "alice", "bob"),
			[]string{"alice: " + appears + " " + appears, "bob: " + appears + " " + appears}}, // the archived one separately
		{"added to the outer group: already visible", members(outer, "add", "bob"), nil},
		{"guests never", members(inner, "add", "guest"), nil},
		{"administrators see it anyway", members(inner, "add", "adam"), nil},
		{"removed from the inner group: bob keeps access through the outer", members(inner, "delete", "bob"),
			[]string{"bob: " + disappears}},
		{"a group's name changes nothing", do("PATCH /user_groups/"+inner, "name", "innermost"), nil},
		{"the subgroup is removed", do("POST /user_groups/"+outer+"/subgroups", "delete", "["+inner+"]"),
			[]string{"alice: " + disappears + " " + disappears}},
		{"and added again", do("POST /user_groups/"+outer+"/subgroups", "add", "["+inner+"]"),
			[]string{"alice: " + appears + " " + appears}},
		{"a member becomes a guest, and so does their bot", role("alice", "600"),
			[]string{"alice: stream/delete stream/delete default_streams default_stream_groups",
				"bot: default_streams default_stream_groups"}},
		{"a guest becomes a member", role("alice", "400"),
			[]string{"alice: " + appears + " " + appears + " default_streams default_stream_groups"}},
		{"the guest becomes a member, and is in the group", role("guest", "400"),
			[]string{"guest: " + appears + " " + appears + " default_streams default_stream_groups"}},
		{"and a guest again", role("guest", "600"),
			[]string{"guest: stream/delete stream/delete default_streams default_stream_groups"}},
		{"a member becomes administrator and sees private channels", role("mona", "200"),
			[]string{"mona: stream/create subscription/peer_add subscription/peer_add " + appears}},
		{"and a moderator again", role("mona", "300"), []string{"mona: stream/delete stream/delete"}},
		{"from moderator to member: nothing", role("mona", "400"), nil},
		{"a permission names one user", do("PATCH /streams/"+plain, "can_subscribe_group", setting(s, "mona")),
			[]string{"mona: " + appears, "adam: stream/update:can_subscribe_group", "olga: stream/update:can_subscribe_group",
				"bot: stream/update:can_subscribe_group"}},
		{"and another instead", do("PATCH /streams/"+plain, "can_subscribe_group", setting(s, "bob")),
			[]string{"mona: " + disappears, "bob: " + appears, "adam: stream/update:can_subscribe_group",
				"olga: stream/update:can_subscribe_group", "bot: stream/update:can_subscribe_group"}},
		{"a group that channels name is not deactivated", func(s *kittest.Server) {
			s.As("olga").Do("POST /user_groups/"+inner+"/deactivate").Error(400, "CANNOT_DEACTIVATE_GROUP_IN_USE", "")
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			all.s = s.In(t)
			row.do(s.In(t))
			all.expect(row.want...)
		})
	}
}

// Channels for full members become visible when the account is old enough, and when the waiting period changes.
func TestVisibilityByAge(t *testing.T) {
	s := startAll(t)
	const day = 24 * time.Hour
	s.As("olga").Do("POST /channels/create", "name", "grown", "invite_only", "true", "subscribers", list(s, "olga"),
		"can_subscribe_group", "5").OK()
	if got := fmt.Sprint(s.As("olga").Do("GET /user_groups").OK().Get("user_groups")); !strings.Contains(got,
		"id:5 is_system_group:true members") || !strings.Contains(got, "role:fullmembers") {
		t.Fatalf("group 5 is not role:fullmembers: %s", got)
	}
	const appears, disappears = "stream/create subscription/peer_add", "stream/delete"
	wait := func(days string) { t.Helper(); s.As("olga").Do("PATCH /realm", "waiting_period_threshold", days).OK() }
	after := func(d time.Duration) { t.Helper(); s.Clock.Advance(d); s.RunJob("accounts.waiting period") }
	all := follow(s)
	wait("3")
	all.expect("alice: "+disappears, "bob: "+disappears, "bot: "+disappears)
	after(2 * day)
	all.expect()
	after(day - time.Second)
	all.expect()
	after(time.Second)
	all.expect("alice: "+appears, "bob: "+appears, "bot: "+appears)
	after(day)
	all.expect()
	wait("0")
	all.expect()
	wait("30")
	all.expect("alice: "+disappears, "bob: "+disappears, "bot: "+disappears)
	s.Clock.Advance(day)
	wait("2")
	all.expect("alice: "+appears, "bob: "+appears, "bot: "+appears)
	made := s.As("olga").Do("POST /users", "email", "zoe@example.com", "full_name", "Zoe", "password",
		kittest.Password).OK().Int("user_id")
	s.As("olga").Do("PATCH /users/"+id(s, "guest"), "role", "400").OK()
	all.expect("guest: stream/create subscription/peer_add default_streams default_stream_groups")
	s.As("olga").Do("PATCH /users/"+id(s, "guest"), "role", "600").OK()
	all.expect("guest: stream/delete default_streams default_stream_groups")
	s.Skip()
	after(2 * day)
	s.EventsOf("stream", fmt.Sprintf("stream/create user:%d", made))
	all.expect()
	s.Skip()
	after(day)
	s.NoEvents()
	// The first login makes her a new member again.
	s.Anonymous().Do("POST /fetch_api_key", "username", "zoe@example.com", "password", kittest.Password).OK()
	s.EventsOf("stream", fmt.Sprintf("stream/delete user:%d", made))
	after(2*day - time.Second)
	s.EventsOf("stream")
	after(time.Second)
	s.EventsOf("stream", fmt.Sprintf("stream/create user:%d", made))
	all.expect()
}

// New full members are notified exactly once, even if other changes happen before the job runs, including changes that
// make the same channels visible.
func TestVisibilityBeforeTheJobRuns(t *testing.T) {
	s := startAll(t)
	const day = 24 * time.Hour
	channel := func(name, who string) string {
		s.As("olga").Do("POST /channels/create", "name", name, "invite_only", "true", "subscribers", list(s, "olga"),
			"can_subscribe_group", who).OK()
		return fmt.Sprint(channelID(s, name))
	}
	group := s.As("olga").Do("POST /user_groups/create", "name", "circle", "description", "", "members", "[]", "subgroups",
		"[5]").OK().Int("group_id")
	channel("grown", fmt.Sprint(group))
	s.Skip()
	set := func(call string, params ...string) { t.Helper(); s.As("olga").Do(call, params...).OK() }
	role := func(who, role string) { t.Helper(); set("PATCH /users/"+id(s, who), "role", role) }
	to := func(op string, who ...string) string {
		if len(who) == 1 {
			return "stream/" + op + " user:" + who[0]
		}
		return "stream/" + op + " users:" + strings.Join(who, ",")
	}
	set("PATCH /realm", "waiting_period_threshold", "3")
	s.EventsOf("stream", to("delete", "alice", "bob", "bot"))
	s.Clock.Advance(3*day + 20*time.Second) // full members from here on

	role("alice", "300")
	s.EventsOf("stream", to("create", "alice"))
	set(fmt.Sprintf("POST /user_groups/%d/members", group), "add", list(s, "bob"))
	s.EventsOf("stream", to("create", "bob"))
	s.RunJob("accounts.waiting period")
	s.EventsOf("stream", to("create", "bot"))
	s.RunJob("accounts.waiting period")
	s.EventsOf("stream")

	// Much later, when no user has become a full member for days, users lose no channel, even briefly.
	s.Clock.Advance(30 * day)
	role("alice", "400")
	role("mona", "400")
	set(fmt.Sprintf("POST /user_groups/%d/members", group), "delete", list(s, "bob"))
	s.RunJob("accounts.waiting period")
	s.EventsOf("stream")

	set("PATCH /realm", "waiting_period_threshold", "60")
	s.EventsOf("stream", to("delete", "alice", "bob", "mona", "bot"))
	s.Clock.Advance(27*day + 20*time.Second)
	set("PATCH /realm", "waiting_period_threshold", "50")
	s.EventsOf("stream", to("create", "alice", "bob", "mona", "bot"))
}

// Events fetched late describe the state at the time of the event: a guest who has become a member receives subscribers
// only after the channel itself.
func TestVisibilityFetchedLate(t *testing.T) {
	s := startAll(t)
	all := follow(s)
	s.As("olga").Do("POST /channels/create", "name", "Rome", "subscribers", list(s, "olga")).OK()
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome"}]`, "principals",
		list(s, "bob")).OK()
	s.As("olga").Do("PATCH /users/"+id(s, "guest"), "role", "400").OK()
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome"}]`, "principals",
		list(s, "mona")).OK()
	s.As("olga").Do("PATCH /users/"+id(s, "guest"), "role", "600").OK()
	if got := all.poll()["guest"]; got != "stream/create subscription/peer_add default_streams default_stream_groups "+
		"subscription/peer_add stream/delete default_streams default_stream_groups" {
		t.Errorf("guest received %s", got)
	}
}
