package realm_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	realms "github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/zulipnames"
)

// follower keeps the realm's part of /register up to date from events, as clients do.
type follower struct {
	*kittest.Queue
	name  string
	state map[string]any
}

const followed = `["realm","realm_user_settings_defaults"]`

func follow(s *kittest.Server, name string) *follower {
	q := s.As(name).Register("event_types", followed, "fetch_event_types", followed, "queue_lifespan_secs", "604800")
	return &follower{q, name, state(q.Start)}
}

// state returns the part of a /register response that events can change.
func state(a *kittest.Response) map[string]any {
	var all map[string]any
	a.JSON(&all)
	// jitsi_server_url is derived from realm_jitsi_server_url.
	for _, k := range []string{"queue_id", "last_event_id", "idle_queue_timeout_secs", "jitsi_server_url"} {
		delete(all, k)
	}
	for k, x := range all {
		if at, ok := x.(string); ok && strings.HasPrefix(at, "http://127.0.0.1") { // the address changes with a restart
			delete(all, k)
		}
	}
	return all
}

// applyEvents applies the pending events and returns their number.
func (f *follower) applyEvents() int {
	var got struct {
		Events []struct {
			Type, Op string
			Property string
			Value    any
			Data     map[string]any
		}
	}
	f.Take().JSON(&got)
	for _, e := range got.Events {
		if e.Op == "update" {
			e.Data = map[string]any{e.Property: e.Value}
		}
		if e.Type == "realm_user_settings_defaults" {
			f.state[e.Type].(map[string]any)[e.Property] = e.Value
			continue
		}
		for k, x := range e.Data {
			f.state["realm_"+k] = x
		}
	}
	return len(got.Events)
}

// check compares the state with a new /register.
func (f *follower) check(t *testing.T, after string) {
	t.Helper()
	now := f.Register("event_types", `[]`, "fetch_event_types", followed)
	now.Close()
	want := state(now.Start)
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(want[k], f.state[k]) {
			t.Errorf("%s, to %s: from events %s is %s, and in /register %s", after, f.name, k, kittest.JSON(f.state[k]),
				kittest.JSON(want[k]))
		}
	}
	if len(f.state) != len(want) {
		t.Errorf("%s, to %s: from events there are %d keys, in /register %d", after, f.name, len(f.state), len(want))
	}
}

// values returns accepted and rejected values of the settings that are neither boolean nor group-valued, as clients
// send them. The last accepted value is the default, if there is one.
func values(s *kittest.Server) (good, bad map[string][]string) {
	secret, general := fmt.Sprint(s.ChannelID("secret")), fmt.Sprint(s.ChannelID("general"))
	limits, badLimits := []string{"1", `"unlimited"`, "unlimited", "2147483647", "600"},
		[]string{"0", "-1", "1.5", "null_", "true", "99999999999"}
	good = map[string][]string{
		"name":                                        {"x", strings.Repeat("é", 40), "Stoics"},
		"description":                                 {strings.Repeat("é", 1000), "*calm*", ""},
		"org_type":                                    {"10", "30", "1000", "0"},
		"default_language":                            {"de", "zh-hans", "en"},
		"default_code_block_language":                 {"python", strings.Repeat("x", 40), ""},
		"default_avatar_source":                       {"J", "G"},
		"video_chat_provider":                         {"0", "1"},
		"jitsi_server_url":                            {"https://meet.example.com", `"https://other.example.com"`, "default"},
		"gif_rating_policy":                           {"0", "5", "2"},
		"welcome_message_custom_text":                 {strings.Repeat("é", 8000), ""},
		"message_content_edit_limit_seconds":          limits,
		"message_content_delete_limit_seconds":        limits,
		"move_messages_within_stream_limit_seconds":   limits,
		"move_messages_between_streams_limit_seconds": limits,
		"message_edit_history_visibility_policy":      {"moves", "none", "all"},
		"message_retention_days":                      {"1", "365", "unlimited"},
		"topics_policy":                               {"disable_empty_topic", "allow_empty_topic"},
		"media_preview_size":                          {"150", "200", "100"},
		"digest_weekday":                              {"0", "6", "1"},
		"moderation_request_channel_id":               {secret, "-1"},
		"new_stream_announcements_stream_id":          {general, secret, "-1"},
		"signup_announcements_stream_id":              {general, secret, "-1"},
		"service_update_announcements_stream_id":      {secret, general, "-1"},
		"waiting_period_threshold":                    {"1", "36500", "0"},
	}
	bad = map[string][]string{
		"name":                        {"", " ", strings.Repeat("é", 41), "a\x00b"},
		"description":                 {strings.Repeat("é", 1001), "a\x00b"},
		"org_type":                    {"1", "31", "-1", "1001", "x", "1.5", `"10"`},
		"default_language":            {"xx", "", "EN"},
		"default_code_block_language": {strings.Repeat("x", 41)},
		"default_avatar_source":       {"U", "", "g"},
		"video_chat_provider":         {"2", "3", "4", "7", "-1", "x"},
		"jitsi_server_url": {"meet.example.com", "javascript:alert(1)", "ftp://x.example.com",
			"https://" + strings.Repeat("x", 200)},
		"gif_rating_policy":                           {"-1", "6", "x"},
		"welcome_message_custom_text":                 {strings.Repeat("é", 8001), "a\x00b"},
		"message_content_edit_limit_seconds":          badLimits,
		"message_content_delete_limit_seconds":        badLimits,
		"move_messages_within_stream_limit_seconds":   badLimits,
		"move_messages_between_streams_limit_seconds": badLimits,
		"message_edit_history_visibility_policy":      {"", "All", "contents"},
		"message_retention_days":                      {"0", "-1", "1.5", "x"},
		"topics_policy":                               {"inherit", "empty_topic_only", ""},
		"media_preview_size":                          {"0", "101", "300"},
		"digest_weekday":                              {"-1", "7", "x"},
		"moderation_request_channel_id":               {general, "0", "-2", "999999", "x"},
		"new_stream_announcements_stream_id":          {"0", "-2", "999999", "null_"},
		"signup_announcements_stream_id":              {"0", "-2", "999999", "1.5"},
		"service_update_announcements_stream_id":      {"0", "-2", "999999", `"general"`},
		"waiting_period_threshold":                    {"-1", "36501", "x"},
	}
	for _, r := range realm.Rows() {
		if _, is := r.Default.(bool); is && r.MinRole != 0 && r.Name != "password_auth" {
			good[r.Name], bad[r.Name] = []string{"true", "false", fmt.Sprint(r.Default)}, []string{"yes", "1", `"true"`, ""}
		}
	}
	return good, bad
}

var roles = map[string]user.Role{"olga": user.Owner, "adam": user.Admin, "mona": user.Moderator, "alice": user.Member,
	"guest": user.Guest, "bot": user.Member}

func startAll(t *testing.T) *kittest.Server {
	t.Helper()
	return kittest.Start(t, realms.Module, accounts.Module, channels.Module, groups.Module, events.Module,
		zulipnames.Module)
}

// tryRoles attempts a change as users with each role, and checks that it is refused without effect for those without
// permission.
func tryRoles(t *testing.T, s *kittest.Server, name, value string, who user.Role) {
	t.Helper()
	for person, role := range roles {
		if role <= who {
			continue
		}
		want := "Must be an organization administrator"
		if who == user.Owner && role == user.Admin {
			want = "Must be an organization owner"
		}
		s.As(person).Do("PATCH /realm", name, value).Error(400, "UNAUTHORIZED_PRINCIPAL", want)
	}
	s.NoEvents()
}

// TestPlainSettings checks permissions, accepted values and events of every setting that is not group-valued.
func TestPlainSettings(t *testing.T) {
	s := startAll(t)
	good, bad := values(s)
	followers := []*follower{follow(s, "alice"), follow(s, "bob"), follow(s, "guest")} // alice can see the channel secret
	for _, r := range realm.Rows() {
		if r.MinRole == 0 {
			s.As("olga").Do("PATCH /realm", r.Name, "x").Is(200,
				fmt.Sprintf(`{"result":"success","msg":"","ignored_parameters_unsupported":[%q]}`, r.Name))
			s.NoEvents()
			continue
		}
		if r.Name == "password_auth" {
			continue // authentication_methods
		}
		if good[r.Name] == nil || bad[r.Name] == nil {
			t.Errorf("the test has no values for %s", r.Name)
			continue
		}
		tryRoles(t, s, r.Name, good[r.Name][0], r.MinRole)
		for _, v := range bad[r.Name] {
			s.As("olga").Do("PATCH /realm", r.Name, v, "allow_message_editing", "false").Error(400, "BAD_REQUEST", "")
		}
		s.NoEvents()
		changer, op := s.As("adam"), "update"
		if r.MinRole == user.Owner {
			changer = s.As("olga")
		}
		if r.Dict {
			op = "update_dict"
		}
		if strings.HasSuffix(r.Name, "_stream_id") || strings.HasSuffix(r.Name, "_channel_id") {
			changer = s.As("olga") // she can see the channel secret
		}
		said := map[string]bool{}
		for _, v := range good[r.Name] {
			changer.Do("PATCH /realm", r.Name, v).Is(200, `{"result":"success","msg":""}`)
			for _, e := range s.Log() {
				if e.Type != "realm" { // effects on other objects
					continue
				}
				if e.Op != op {
					t.Errorf("%s = %.20s is sent by %s/%s %s", r.Name, v, e.Type, e.Op, e.Payload)
				}
				said[string(e.Payload)] = true
			}
			for _, f := range followers {
				f.applyEvents()
				f.check(t, fmt.Sprintf("%s = %.20s", r.Name, v))
			}
		}
		if len(said) < 2 {
			t.Errorf("%s only had the values %v", r.Name, said)
		}
	}
}

// TestGroupSettings sets every group-valued setting to every type of value.
func TestGroupSettings(t *testing.T) {
	s := startAll(t)
	id := func(name string) string { return fmt.Sprint(s.UserID(name)) }
	make := func(name string) string {
		return fmt.Sprint(s.As("olga").Do("POST /user_groups/create", "name", name, "description", "", "members",
			"["+id("bob")+"]",
			"can_join_group", `1`, "can_leave_group", "1", "can_remove_members_group", "1").OK().Int("group_id"))
	}
	circle, ended := make("circle"), make("ended")
	s.As("olga").Do("POST /user_groups/" + ended + "/deactivate").OK()
	gone := id("bob")
	s.As("olga").Do("DELETE /users/" + gone).OK()
	s.Skip()
	followers := []*follower{follow(s, "alice"), follow(s, "guest")}
	for _, r := range group.Rules(group.OfRealm) {
		who := realm.MayChange(r.Name)
		changer := s.As("adam")
		if who == user.Owner {
			changer = s.As("olga")
		}
		up := func(v string) string { return `{"new":` + v + `}` }
		set := func(v, code string) {
			t.Helper()
			before, _ := json.Marshal(followers[0].state["realm_"+r.Name])
			a := changer.Do("PATCH /realm", r.Name, up(v), "allow_message_editing", "true")
			if code != "" {
				a.Error(400, code, "")
				s.NoEvents()
				return
			}
			a.OK()
			s.Log()
			for _, f := range followers {
				f.applyEvents()
				f.check(t, r.Name+" = "+v)
			}
			// The expected old value no longer matches, unless nothing changed.
			changer.Do("PATCH /realm", r.Name, `{"new":3,"old":`+string(before)+`}`)
			if after, _ := json.Marshal(followers[0].state["realm_"+r.Name]); string(before) != string(after) {
				s.NoEvents()
			}
			s.Skip()
			for _, f := range followers {
				f.applyEvents()
			}
		}
		tryRoles(t, s, r.Name, up("3"), who)
		for g := group.Nobody; g <= group.Internet; g++ {
			code := ""
			if !r.Accepts(g) {
				code = "BAD_REQUEST"
			}
			set(fmt.Sprint(g), code)
		}
		code, empty := "", ""
		switch {
		case r.System:
			code, empty = "SYSTEM_GROUP_REQUIRED", "SYSTEM_GROUP_REQUIRED"
		case !r.Nobody:
			empty = "BAD_REQUEST" // its only member bob is deactivated
		}
		set(circle, empty)
		set(`{"direct_members":[`+id("alice")+`,`+id("guest")+`],"direct_subgroups":[`+circle+`,4]}`, code)
		nobody := ""
		if r.System {
			nobody = "SYSTEM_GROUP_REQUIRED"
		}
		if !r.Nobody {
			nobody = "BAD_REQUEST"
		}
		if r.System && r.Nobody {
			nobody = "" // the same as its name
		}
		set(`{"direct_members":[],"direct_subgroups":[]}`, nobody)
		for _, v := range []string{
			"0", "-1", "999999", `"role:members"`, "null", ended, `{"direct_members":[` + gone + `]}`,
			`{"direct_members":[999999]}`,
			`{"direct_subgroups":[` + ended + `]}`, `{"direct_subgroups":[999999]}`, `{"direct_subgroups":[8]}`,
			`{"members":[]}`,
			`{"direct_members":["x"]}`,
		} {
			a := changer.Do("PATCH /realm", r.Name, up(v))
			if !r.System || a.Get("code") != "SYSTEM_GROUP_REQUIRED" {
				a.Error(400, "BAD_REQUEST", "")
			}
		}
		s.NoEvents()
		changer.Do("PATCH /realm", r.Name, up(fmt.Sprint(r.Default))).OK()
		s.Skip()
		for _, f := range followers {
			f.applyEvents()
			f.check(t, r.Name+" as it was")
		}
	}
}

// Deactivated users are omitted from settings, and shown again once they are reactivated.
func TestSettingsOfDeactivatedUsers(t *testing.T) {
	s := startAll(t)
	olga, bob := s.As("olga"), fmt.Sprint(s.UserID("bob"))
	olga.Do("PATCH /realm", "can_create_groups", `{"new":{"direct_members":[`+bob+`],"direct_subgroups":[3]}}`,
		"can_create_public_channel_group", `{"new":{"direct_members":[`+bob+`]}}`, "can_mention_many_users_group",
		`{"new":{"direct_members":[`+bob+`]}}`,
		"can_create_private_channel_group", `{"new":{"direct_members":[`+bob+`],"direct_subgroups":[3]}}`).OK()
	f := follow(s, "alice")
	olga.Do("DELETE /users/" + bob).OK()
	if n := f.applyEvents(); n != 1 {
		t.Errorf("%d events", n)
	}
	f.check(t, "bob deactivated")
	if got := kittest.JSON(f.state["realm_can_create_public_channel_group"]); got != "1" {
		t.Errorf("nobody is %s", got)
	}
	if got := fmt.Sprint(f.state["realm_wildcard_mention_policy"],
		f.state["realm_create_private_stream_policy"]); got != "6 2" {
		t.Errorf("legacy clients received %s", got)
	}
	olga.Do("PATCH /realm", "can_create_groups", `{"new":4,"old":3}`).OK() // the old value as clients see it
	f.applyEvents()
	olga.Do("POST /users/" + bob + "/reactivate").OK()
	if n := f.applyEvents(); n != 1 {
		t.Errorf("%d events", n)
	}
	f.check(t, "bob is back")
}
