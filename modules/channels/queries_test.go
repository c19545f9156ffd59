package channels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func names(list []map[string]any) string {
	var all []string
	for _, c := range list {
		all = append(all, fmt.Sprint(c["name"]))
	}
	return strings.Join(all, " ")
}

func TestList(t *testing.T) {
	s := start(t)
	for _, c := range [][]string{{"zebra"}, {"Apple"}, {"attic"}, {"hidden", "invite_only", "true"}} {
		s.As("olga").Do("POST /users/me/subscriptions", append([]string{"subscriptions", `[{"name":"` + c[0] + `"}]`},
			c[1:]...)...).OK()
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", channelID(s, "attic"))).OK()
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(channelID(s, "Apple"))).OK()
	for _, c := range []struct {
		who    string
		params []string
		want   string
	}{
		{"olga", nil, "Apple general hidden secret zebra"},
		{"olga", []string{"exclude_archived", "false"}, "Apple attic general hidden secret zebra"},
		{"adam", nil, "Apple general zebra"},
		{"adam", []string{"include_all", "true"}, "Apple general hidden secret zebra"},
		{"adam", []string{"include_all_active", "true"}, "Apple general hidden secret zebra"},
		{"adam", []string{"include_can_access_content", "true", "include_public", "false"}, "Apple general zebra"},
		{"alice", []string{"include_public", "false"}, "general secret"},
		{"alice", []string{"include_public", "false", "include_subscribed", "false"}, ""},
		{"alice", []string{"include_subscribed", "false"}, "Apple general zebra"},
		{"bob", []string{"include_all", "true"}, "Apple general zebra"},
		{"guest", nil, "general"},
		{"guest", []string{"include_all", "true"}, "general"},
		{"guest", []string{"include_web_public", "true"}, "general"},
		{"bot", []string{"include_public", "false"}, "general"},
		{"bot", []string{"include_public", "false", "include_owner_subscribed", "true"}, "general secret"},
	} {
		var res struct{ Streams []map[string]any }
		s.As(c.who).Do("GET /streams", c.params...).OK().JSON(&res)
		if got := names(res.Streams); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.who, c.params, got, c.want)
		}
		if len(res.Streams) > 0 && res.Streams[0]["is_default"] != nil {
			t.Errorf("%s %v: is_default was not requested", c.who, c.params)
		}
	}
	first := s.As("bob").Do("GET /streams", "include_default", "true")
	if first.Get("streams.0.is_default") != true || first.Get("streams.1.is_default") != false {
		t.Errorf("only Apple is a default channel: %s", first.Body)
	}
}

func TestMine(t *testing.T) {
	s := start(t)
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"attic"},{"name":"Apple"}]`).OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", channelID(s, "attic"))).OK()
	var res struct{ Subscriptions []map[string]any }
	s.As("alice").Do("GET /users/me/subscriptions").OK().JSON(&res)
	if got := names(res.Subscriptions); got != "Apple general secret" {
		t.Errorf("subscriptions: %s", got)
	}
	colors := map[any]bool{}
	for _, sub := range res.Subscriptions {
		colors[sub["color"]] = true
		if _, there := sub["subscribers"]; there {
			t.Errorf("%s: subscribers were not requested", sub["name"])
		}
	}
	if len(colors) != 3 {
		t.Errorf("three subscriptions have the colors %v", colors)
	}
	for _, want := range []string{"true", "partial"} {
		got := s.As("alice").Do("GET /users/me/subscriptions", "include_subscribers",
			want).OK().Get("subscriptions.1.subscribers")
		if fmt.Sprint(got) != strings.ReplaceAll(list(s, "alice", "bob", "olga", "guest", "bot"), ",", " ") {
			t.Errorf("include_subscribers=%s gives %v", want, got)
		}
	}
	s.As("alice").Do("GET /users/me/subscriptions", "include_subscribers", "all").Error(400, "BAD_REQUEST",
		"include_subscribers")
}

func TestSubscribers(t *testing.T) {
	s := start(t)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	s.As("adam").Do(fmt.Sprintf("GET /streams/%d/members", secret)).
		Is(200, `{"result":"success","msg":"","subscribers":`+list(s, "alice", "olga")+`}`)
	for who, want := range map[string]string{"alice": "true", "mona": "false", "bot": "true"} {
		s.As("bob").Do(fmt.Sprintf("GET /users/%s/subscriptions/%d", id(s, who), general)).Is(200,
			`{"result":"success","msg":"","is_subscribed":`+want+`}`)
	}
	s.As("bob").Do(fmt.Sprintf("GET /users/999/subscriptions/%d", general)).Error(400, "BAD_REQUEST", "No such user")
	s.As("bob").Do("GET /users/999/channels").Error(400, "BAD_REQUEST", "No such user")
	for who, want := range map[string][]int64{"bob": {general}, "adam": {general, secret}, "guest": {general}} {
		var res struct {
			IDs []int64 `json:"subscribed_channel_ids"`
		}
		s.As(who).Do("GET /users/" + id(s, "alice") + "/channels").OK().JSON(&res)
		if slices.Sort(res.IDs); !slices.Equal(res.IDs, want) {
			t.Errorf("%s sees %v of alice's channels, want %v", who, res.IDs, want)
		}
	}
	s.Anonymous().Do("GET /streams").Error(401, "UNAUTHORIZED", "")
}
