package realm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
)

// All users get the ID of the channel for reports, because clients need it to decide whether to offer reporting. Other
// channels in settings are shown only to users who can see them.
func TestChannelSettings(t *testing.T) {
	s := startAll(t)
	secret := fmt.Sprint(s.ChannelID("secret"))
	followers := []*follower{follow(s, "alice"), follow(s, "bob"), follow(s, "guest")}
	s.As("olga").Do("PATCH /realm", "moderation_request_channel_id", secret, "new_stream_announcements_stream_id",
		secret).OK()
	for _, f := range followers {
		f.applyEvents()
		f.check(t, "a private channel")
		want := map[bool]string{true: secret + " " + secret, false: secret + " -1"}[f.name == "alice"]
		if got := fmt.Sprint(f.state["realm_moderation_request_channel_id"],
			f.state["realm_new_stream_announcements_stream_id"]); got != want {
			t.Errorf("%s received %s, want %s", f.name, got, want)
		}
	}
	// When a channel becomes visible or invisible for users, they receive the setting as they now see it.
	olga, bob := s.As("olga"), fmt.Sprintf("[%d]", s.UserID("bob"))
	team := fmt.Sprint(olga.Do("POST /user_groups/create", "name", "team", "description", "", "members",
		"[]").OK().Int("group_id"))
	for _, c := range []struct {
		call      string
		params    []string
		receivers string // users who receive events, in the order of followers
	}{
		{"POST /users/me/subscriptions", []string{"subscriptions", `[{"name":"secret"}]`, "principals", bob}, "bob"},
		{"DELETE /users/me/subscriptions", []string{"subscriptions", `["secret"]`, "principals", bob}, "bob"},
		{"PATCH /streams/" + secret, []string{"can_subscribe_group", `{"new":` + team + `}`}, ""},
		{"POST /user_groups/" + team + "/members", []string{"add", bob}, "bob"},
		{"POST /user_groups/" + team + "/members", []string{"delete", bob}, "bob"},
		{"PATCH /users/" + bob[1:len(bob)-1], []string{"role", "200"}, "bob"},
		{"PATCH /users/" + bob[1:len(bob)-1], []string{"role", "400"}, "bob"},
		{"PATCH /realm", []string{"moderation_request_channel_id", "-1"}, "alice bob guest"},
		{"PATCH /streams/" + secret, []string{"is_private", "false"}, "bob"},
		{"PATCH /streams/" + secret, []string{"is_private", "true"}, "bob"},
		{"PATCH /realm", []string{"new_stream_announcements_stream_id", fmt.Sprint(s.ChannelID("general"))},
			"alice bob guest"},
		{"DELETE /users/me/subscriptions", []string{"subscriptions", `["general"]`, "principals",
			fmt.Sprintf("[%d]", s.UserID("guest"))}, "guest"},
		{"POST /users/me/subscriptions", []string{"subscriptions", `[{"name":"general"}]`, "principals",
			fmt.Sprintf("[%d]", s.UserID("guest"))}, "guest"},
	} {
		olga.Do(c.call, c.params...).OK()
		var receivers []string
		for _, f := range followers {
			if f.applyEvents() > 0 {
				receivers = append(receivers, f.name)
			}
			f.check(t, fmt.Sprint(c.call, " ", c.params))
		}
		if got := strings.Join(receivers, " "); got != c.receivers {
			t.Errorf("%s %s: received by %q, want %q", c.call, c.params, got, c.receivers)
		}
	}
}

// When users become full members because their account is old enough, they receive settings whose channels they can now
// see, in queues registered before that time as well as before the job has run.
func TestChannelSettingsOfFullMembers(t *testing.T) {
	s := startAll(t)
	set := func(call string, params ...string) { t.Helper(); s.As("olga").Do(call, params...).OK() }
	secret := fmt.Sprint(s.ChannelID("secret"))
	bob := fmt.Sprint(s.UserID("bob"))
	wait := func(days string) func() {
		return func() { t.Helper(); set("PATCH /realm", "waiting_period_threshold", days) }
	}
	role := func(r string) func() { return func() { t.Helper(); set("PATCH /users/"+bob, "role", r) } }
	subscribe := func() {
		t.Helper()
		set("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals", "["+bob+"]")
	}
	leave := func() {
		t.Helper()
		set("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals", "["+bob+"]")
	}
	set("PATCH /streams/"+secret, "can_subscribe_group", fmt.Sprintf(`{"new":%d}`, group.FullMembers))
	set("PATCH /realm", "new_stream_announcements_stream_id", secret, "signup_announcements_stream_id",
		fmt.Sprint(s.ChannelID("general")))
	for _, row := range []struct {
		name string
		do   []func()
		undo func()
	}{
		{name: "nothing"},
		{name: "a longer wait", do: []func(){wait("5000")}},
		{name: "a shorter one", do: []func(){wait("1")}},
		{name: "none", do: []func(){wait("0")}},
		{name: "promoted", do: []func(){role("300")}, undo: role("400")},
		{name: "lowered", do: []func(){role("600")}, undo: role("400")},
		{name: "promoted and back", do: []func(){role("300"), role("400")}},
		{name: "subscribed", do: []func(){subscribe}, undo: leave},
		{name: "subscribed and not", do: []func(){subscribe, leave}},
	} {
		wait(fmt.Sprint(int(s.Clock.Now().Sub(kittest.Epoch())/(24*time.Hour)) + 2))()
		s.RunJob("accounts.waiting period")
		early, others := follow(s, "bob"), []*follower{follow(s, "alice"), follow(s, "guest")} // alice is subscribed
		s.Clock.Advance(2*24*time.Hour + 20*time.Second)
		late := follow(s, "bob")
		if had, has := early.state["realm_new_stream_announcements_stream_id"],
			late.state["realm_new_stream_announcements_stream_id"]; fmt.Sprint(had, has) != "-1 "+secret {
			t.Fatalf("%s: %v, and a full member %v", row.name, had, has)
		}
		for _, do := range row.do {
			do()
		}
		late.applyEvents()
		late.check(t, row.name+", at once")
		for _, f := range others {
			f.applyEvents()
		}
		s.RunJob("accounts.waiting period")
		early.applyEvents()
		early.check(t, row.name+", early")
		late.applyEvents()
		late.check(t, row.name+", late")
		for _, f := range others {
			if n := f.applyEvents(); n > 0 {
				t.Errorf("%s: the job sent %s %d events", row.name, f.name, n)
			}
			f.check(t, row.name)
		}
		if row.undo != nil {
			row.undo()
		}
	}
}

// A user's first login sets the join time, so that a channel for full members may become invisible for the user.
func TestChannelSettingsAtFirstLogin(t *testing.T) {
	s := startAll(t)
	olga, secret := s.As("olga"), fmt.Sprint(s.ChannelID("secret"))
	olga.Do("PATCH /realm", "waiting_period_threshold", "2", "new_stream_announcements_stream_id", secret).OK()
	olga.Do("PATCH /streams/"+secret, "can_subscribe_group", fmt.Sprintf(`{"new":%d}`, group.FullMembers)).OK()
	id := olga.Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password",
		kittest.Password).OK().Int("user_id")
	s.Clock.Advance(3 * 24 * time.Hour)
	s.Skip()
	s.Anonymous().Do("POST /fetch_api_key", "username", "nina@example.com", "password", kittest.Password).OK()
	s.EventsOf("realm", fmt.Sprintf(`realm/update users:%d {"property":"new_stream_announcements_stream_id","value":%s}`,
		id, secret))
}

// Archiving a channel removes it from all settings.
func TestChannelSettingsOfArchivedChannel(t *testing.T) {
	s := startAll(t)
	olga, secret := s.As("olga"), fmt.Sprint(s.ChannelID("secret"))
	f := follow(s, "alice")
	olga.Do("PATCH /realm", "moderation_request_channel_id", secret, "zulip_update_announcements_stream_id", secret,
		"signup_announcements_stream_id", fmt.Sprint(s.ChannelID("general"))).OK()
	s.Skip()
	olga.Do("DELETE /streams/" + secret).OK()
	s.EventsOf("realm", `realm/update_dict everyone {"property":"default","data":{"moderation_request_channel_id":-1,`+
		`"service_update_announcements_stream_id":-1,"zulip_update_announcements_stream_id":-1}}`)
	f.applyEvents()
	f.check(t, "archived")
	if got := fmt.Sprint(f.state["realm_signup_announcements_stream_id"]); got != fmt.Sprint(s.ChannelID("general")) {
		t.Errorf("the other channel: %s", got)
	}
	s.Restart()
	f.Client = s.As("alice")
	f.check(t, "after a restart")
}
