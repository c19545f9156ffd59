package channel

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

func TestCheckName(t *testing.T) {
	for _, c := range []struct{ in, want, err string }{
		{"  Verona\t", "Verona", ""},
		{"Zürich 東京 🏛", "Zürich 東京 🏛", ""},
		{strings.Repeat("東", 60), strings.Repeat("東", 60), ""},
		{" " + strings.Repeat("x", 60) + " ", strings.Repeat("x", 60), ""},
		{"", "", "Channel name can't be empty."},
		{" \n ", "", "Channel name can't be empty."},
		{strings.Repeat("東", 61), "", "Channel name too long (limit: 60 characters)."},
		{"a\x00b", "", "Invalid character in channel name, at position 2."},
		{"東東\nb", "", "Invalid character in channel name, at position 3."},
		{"a\u0085b", "", "Invalid character in channel name, at position 2."},
		{"a\uFDD0", "", "Invalid character in channel name, at position 2."},
		{"\U0010FFFF", "", "Invalid character in channel name, at position 1."},
		{"ab\xff", "", "Invalid character in channel name, at position 3."},
		{"a\uFFFDb", "a\uFFFDb", ""},
		{"Cafe\u0301 👩\u200d💻", "Cafe\u0301 👩\u200d💻", ""},
		{"a\u202eb", "", "Invalid character in channel name, at position 2."},
		{"ab\u200b", "", "Invalid character in channel name, at position 3."},
		{"\u3164", "", "Invalid character in channel name, at position 1."},
		{"\u0301", "", "Channel name can't be empty."},
		{"\u200d", "", "Channel name can't be empty."},
	} {
		got, err := CheckName(c.in)
		if got != c.want || text(err) != c.err {
			t.Errorf("CheckName(%q) = %q, %q; want %q, %q", c.in, got, text(err), c.want, c.err)
		}
	}
}

func TestCheckDescription(t *testing.T) {
	for _, c := range []struct{ in, want, err string }{
		{"", "", ""},
		{"one\ntwo\r\nthree", "one two three", ""},
		{"one\r\r\n\rtwo", "one   two", ""},
		{strings.Repeat("é", 1024), strings.Repeat("é", 1024), ""},
		{strings.Repeat("é", 1025), "", "Channel description too long (limit: 1024 characters)."},
		{"a\x00", "", "Invalid character in channel description."},
		{"a\xc3", "", "Invalid character in channel description."},
	} {
		got, err := CheckDescription(c.in)
		if got != c.want || text(err) != c.err {
			t.Errorf("CheckDescription(%.20q) = %.20q, %q; want %q", c.in, got, text(err), c.err)
		}
	}
}

func TestParseColor(t *testing.T) {
	for in, want := range map[string]string{
		"#76CE90": "#76ce90", "#abc": "#aabbcc", "#000": "#000000",
		"76ce90": "", "#76ce9": "", "#76ce900": "", "#ggg": "", "": "", "#": "", "#12345é": "", "red": "",
	} {
		got, err := ParseColor(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParseColor(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestColors(t *testing.T) {
	all := Palette()
	if len(all) != 24 {
		t.Fatalf("%d colors, want 24", len(all))
	}
	for _, c := range all {
		if p, err := ParseColor(c); err != nil || p != c {
			t.Errorf("palette color %q is not in stored form", c)
		}
	}
	c := NewColors(all[0], all[2], "#123456")
	if got := []string{c.Next(1), c.Next(2)}; !slices.Equal(got, []string{all[1], all[3]}) {
		t.Errorf("assigned %v, want the first unused ones %v", got, []string{all[1], all[3]})
	}
	c.Take(all[4])
	if got := c.Next(3); got != all[5] {
		t.Errorf("after one was taken: %s, want %s", got, all[5])
	}
	full := NewColors(all...)
	if got := full.Next(49); got != all[1] {
		t.Errorf("with all used: %s, want palette[49 mod 24] = %s", got, all[1])
	}
}

func TestParseRetention(t *testing.T) {
	for in, want := range map[string]int{"30": 30, `"30"`: 30, "unlimited": -1, `"unlimited"`: -1, "realm_default": 0,
		`"realm_default"`: 0} {
		got, err := ParseRetention(in)
		if err != nil || (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("ParseRetention(%s) = %v, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"0", "-1", "1.5", "", "never", "99999999999", "null", "[1]"} {
		if got, err := ParseRetention(in); !errs.Is(err, errs.BadRequest) {
			t.Errorf("ParseRetention(%q) = %v, %v; want a refusal", in, got, err)
		}
	}
}

func TestParseTopicsPolicy(t *testing.T) {
	for _, p := range []string{"inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"} {
		for _, in := range []string{p, `"` + p + `"`} {
			if got, err := ParseTopicsPolicy(in); got != p || err != nil {
				t.Errorf("ParseTopicsPolicy(%s) = %q, %v", in, got, err)
			}
		}
	}
	if _, err := ParseTopicsPolicy("whatever"); !errs.Is(err, errs.BadRequest) {
		t.Errorf("unknown policy: %v", err)
	}
}

func TestNewPrivacy(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		private, web bool
		history      *bool
		want         Privacy
		ok           bool
	}{
		{false, false, nil, Privacy{false, false, true}, true},
		{false, false, &yes, Privacy{false, false, true}, true},
		{false, true, nil, Privacy{false, true, true}, true},
		{true, false, nil, Privacy{true, false, false}, true},
		{true, false, &no, Privacy{true, false, false}, true},
		{true, false, &yes, Privacy{true, false, true}, true},
		{false, false, &no, Privacy{}, false},
		{false, true, &no, Privacy{}, false},
		{true, true, nil, Privacy{}, false},
		{true, true, &yes, Privacy{}, false},
	} {
		got, err := NewPrivacy(c.private, c.web, c.history)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("NewPrivacy(%v, %v, %v) = %v, %v", c.private, c.web, c.history, got, err)
		}
	}
}

func TestCheckHistory(t *testing.T) {
	everyone, admins := group.Named(group.Everyone), group.Named(group.Administrators)
	for _, c := range []struct {
		history bool
		who     group.Setting
		ok      bool
	}{{true, admins, true}, {false, everyone, true}, {false, admins, false},
		{false, group.Setting{Members: user.Set{1}}, false}} {
		err := (&Channel{HistoryPublic: c.history,
			Permissions: map[string]group.Setting{"can_create_topic_group": c.who}}).CheckHistory()
		if (err == nil) != c.ok {
			t.Errorf("history public %v, topics by %v: %v", c.history, c.who, err)
		}
	}
}

func TestPostPolicy(t *testing.T) {
	for g, want := range map[group.ID]int{group.Everyone: 1, group.Administrators: 2, group.FullMembers: 3,
		group.Moderators: 4, group.Members: 1, group.Nobody: 1, 101: 1} {
		if got := PostPolicy(group.Named(g)); got != want {
			t.Errorf("PostPolicy(%d) = %d, want %d", g, got, want)
		}
	}
	if got := PostPolicy(group.Setting{Subgroups: group.Set{group.Administrators}}); got != 2 {
		t.Errorf("a lone subgroup is that group: got %d, want 2", got)
	}
	if got := PostPolicy(group.Setting{Members: user.Set{1}}); got != 1 {
		t.Errorf("anonymous setting: got %d, want 1", got)
	}
}

// channelKeys lists the keys that a strict client accepts in a channel record.
var channelKeys = strings.Fields(
	`stream_id name description rendered_description date_created creator_id invite_only is_web_public
	history_public_to_subscribers message_retention_days first_message_id stream_weekly_traffic is_recently_active
	is_archived folder_id
	topics_policy stream_post_policy is_announcement_only subscriber_count can_add_subscribers_group
	can_remove_subscribers_group
	can_administer_channel_group can_send_message_group can_subscribe_group can_create_topic_group can_resolve_topics_group
	can_move_messages_within_channel_group can_move_messages_out_of_channel_group can_delete_any_message_group
	can_delete_own_message_group`)

func TestRecordKeys(t *testing.T) {
	c := &Channel{ID: 5, Name: "x", Created: time.Unix(1700000000, 0), TopicsPolicy: TopicsInherit, HistoryPublic: true,
		Permissions: map[string]group.Setting{
			"can_send_message_group":       group.Named(group.Administrators),
			"can_administer_channel_group": {Members: user.Set{3, 9}},
		}}
	r := NewRecord(c, 2, user.Set{3})
	got := keys(t, r)
	if want := sorted(channelKeys); !slices.Equal(sorted(got), want) {
		t.Errorf("channel record has keys\n%v, want\n%v", sorted(got), want)
	}
	personal := strings.Fields(`color is_muted in_home_view pin_to_top desktop_notifications audible_notifications
		push_notifications
		email_notifications wildcard_mentions_notify`)
	if got, want := sorted(keys(t, NewSubscriptionRecord(r, Personal{}))),
		sorted(append(personal, channelKeys...)); !slices.Equal(got, want) {
		t.Errorf("subscription record has keys\n%v, want\n%v", got, want)
	}
	if r.PostPolicy != 2 || !r.AnnouncementOnly {
		t.Errorf("only administrators send: policy %d, announcement only %v", r.PostPolicy, r.AnnouncementOnly)
	}
	b, _ := json.Marshal(r.CanAdminister)
	if string(b) != `{"direct_members":[3],"direct_subgroups":[]}` {
		t.Errorf("the record names a deactivated user: %s", b)
	}
	if b, _ = json.Marshal(r.CanSubscribe); string(b) != "1" {
		t.Errorf("an unset setting is %s, want role:nobody", b)
	}
}

func TestPersonalSet(t *testing.T) {
	for _, c := range []struct {
		property, value string
		want            []PropertyChange
		err             string
	}{
		{"color", "#ABC", []PropertyChange{{"color", "#aabbcc"}}, ""},
		{"color", `"#123456"`, []PropertyChange{{"color", "#123456"}}, ""},
		{"color", "true", nil, "color is not a valid hex color code"},
		{"is_muted", "true", []PropertyChange{{"in_home_view", false}, {"is_muted", true}}, ""},
		{"in_home_view", "true", []PropertyChange{{"in_home_view", true}, {"is_muted", false}}, ""},
		{"pin_to_top", "true", []PropertyChange{{"pin_to_top", true}}, ""},
		{"push_notifications", "false", []PropertyChange{{"push_notifications", false}}, ""},
		{"push_notifications", "null", nil, "push_notifications is not a boolean"},
		{"push_notifications", "1", nil, "push_notifications is not a boolean"},
		{"is_muted", `"true"`, nil, "is_muted is not a boolean"},
		{"name", "true", nil, "Unknown subscription property: name"},
	} {
		var p Personal
		got, err := p.Set(c.property, []byte(c.value))
		if !slices.Equal(got, c.want) || text(err) != c.err {
			t.Errorf("Set(%s, %s) = %v, %q; want %v, %q", c.property, c.value, got, text(err), c.want, c.err)
		}
	}
	for _, name := range []string{"desktop_notifications", "audible_notifications", "push_notifications",
		"email_notifications", "wildcard_mentions_notify"} {
		var p Personal
		if _, err := p.Set(name, []byte("true")); err != nil {
			t.Fatal(err)
		}
		if fields := asMap(t, NewSubscriptionRecord(Record{}, p)); fields[name] != true {
			t.Errorf("%s was set, the record has %v", name, fields[name])
		}
	}
}

func TestFilled(t *testing.T) {
	no := false
	p := Personal{Push: &no}.Filled(user.Settings{EnableStreamPushNotifications: true,
		EnableStreamDesktopNotifications: true})
	if *p.Push || !*p.Desktop || *p.Audible || *p.Email || *p.Wildcard {
		t.Errorf("own settings take precedence: push %v desktop %v audible %v email %v wildcard %v", *p.Push,
			*p.Desktop, *p.Audible, *p.Email, *p.Wildcard)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func asMap(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func keys(t *testing.T, v any) []string { return slices.Collect(maps.Keys(asMap(t, v))) }

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }
