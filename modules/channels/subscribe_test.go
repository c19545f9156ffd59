package channels_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/realm"
)

func start(t *testing.T) *kittest.Server { t.Helper(); return kittest.Start(t, channels.Module) }

// id returns a user's ID as text, and channelID a channel's ID by name, as the owner sees it.
func id(s *kittest.Server, name string) string { return fmt.Sprint(int64(s.UserID(name))) }

func channelID(s *kittest.Server, name string) int64 {
	s.T.Helper()
	for _, c := range streams(s, "olga") {
		if c["name"] == name {
			return number(c["stream_id"])
		}
	}
	s.T.Fatalf("there is no channel %q", name)
	return 0
}

// streams returns all channels that a user can see.
func streams(s *kittest.Server, who string) []map[string]any {
	s.T.Helper()
	var res struct{ Streams []map[string]any }
	s.As(who).Do("GET /streams", "include_all", "true", "exclude_archived", "false").OK().JSON(&res)
	return res.Streams
}

func number(v any) int64 {
	if f, ok := v.(float64); ok {
		return int64(f)
	}
	var n int64
	_, _ = fmt.Sscan(fmt.Sprint(v), &n)
	return n
}

func subscribers(s *kittest.Server, channel int64) string {
	s.T.Helper()
	return fmt.Sprint(s.As("olga").Do(fmt.Sprintf("GET /streams/%d/members", channel)).OK().Get("subscribers"))
}

func list(s *kittest.Server, names ...string) string {
	ids := make([]string, len(names))
	for i, n := range names {
		ids[i] = id(s, n)
	}
	return "[" + strings.Join(ids, ",") + "]"
}

func TestSubscribeNew(t *testing.T) {
	s := start(t)
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions",
		`[{"name":" Stoics ","description":"On *virtue*\nand more"}]`).
		Is(200, `{"result":"success","msg":"","subscribed":{"`+id(s, "alice")+
			`":["Stoics"]},"already_subscribed":{},"new_subscription_messages_sent":true}`)
	c := channelID(s, "Stoics")
	record := fmt.Sprintf(`{"stream_id":%d,"name":"Stoics","description":"On *virtue* and more","rendered_description":"<p>On <em>virtue</em> and more</p>",
		"date_created":%d,"creator_id":%s,"invite_only":false,"is_web_public":false,"history_public_to_subscribers":true,"is_archived":false,
		"message_retention_days":null,"first_message_id":null,"folder_id":null,"is_recently_active":true,"stream_weekly_traffic":null,
		"subscriber_count":%%d,"topics_policy":"inherit","stream_post_policy":1,"is_announcement_only":false,
		"can_add_subscribers_group":1,"can_administer_channel_group":{"direct_members":[%s],"direct_subgroups":[]},"can_create_topic_group":7,
		"can_delete_any_message_group":1,"can_delete_own_message_group":1,"can_move_messages_out_of_channel_group":1,
		"can_move_messages_within_channel_group":1,"can_remove_subscribers_group":3,"can_resolve_topics_group":1,
		"can_send_message_group":7,"can_subscribe_group":1}`, c, s.Clock.Now().Unix(), id(s, "alice"), id(s, "alice"))
	s.Events(
		fmt.Sprintf(`stream/create knowing:%d {"streams":[%s],"for_unarchiving":false}`, c, fmt.Sprintf(record, 0)),
		fmt.Sprintf(`subscription/add user:alice {"crowds":[{"channel":%d,"personal":{"color":"*"},"users":[%s]}]}`, c,
			id(s, "alice")),
		fmt.Sprintf(`subscription/peer_add everyone-alice {"stream_ids":[%d],"user_ids":[%s]}`, c, id(s, "alice")),
	)
	s.As("bob").Do(fmt.Sprintf("GET /streams/%d", c)).Is(200, `{"result":"success","msg":"","stream":`+fmt.Sprintf(record,
		1)+`}`)

	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"STOICS","description":"ignored"}]`).
		Is(200, `{"result":"success","msg":"","subscribed":{},"already_subscribed":{"`+id(s, "alice")+
			`":["Stoics"]},"new_subscription_messages_sent":true}`)
	s.NoEvents()
}

func TestSubscribeSettings(t *testing.T) {
	s := start(t)
	for i, c := range []struct{ param, value, key, want string }{
		{"invite_only", "true", "invite_only", "true"},
		{"invite_only", "true", "history_public_to_subscribers", "false"},
		{"is_default_stream", "true", "invite_only", "false"},
		{"message_retention_days", "30", "message_retention_days", "30"},
		{"message_retention_days", `"unlimited"`, "message_retention_days", "-1"},
		{"message_retention_days", "realm_default", "message_retention_days", "<nil>"},
		{"topics_policy", "disable_empty_topic", "topics_policy", "disable_empty_topic"},
		{"topics_policy", `"empty_topic_only"`, "topics_policy", "empty_topic_only"},
		{"can_send_message_group", "3", "stream_post_policy", "2"},
		{"can_send_message_group", "3", "is_announcement_only", "true"},
		{"can_administer_channel_group", `{"direct_members":[],"direct_subgroups":[4]}`, "can_administer_channel_group", "4"},
		{"can_subscribe_group", `{"direct_members":[],"direct_subgroups":[]}`, "can_subscribe_group", "1"},
		{"can_add_subscribers_group", "6", "can_add_subscribers_group", "6"},
		{"can_remove_subscribers_group", "7", "can_remove_subscribers_group", "7"},
		{"can_create_topic_group", "5", "can_create_topic_group", "5"},
		{"can_delete_any_message_group", "4", "can_delete_any_message_group", "4"},
		{"can_delete_own_message_group", "7", "can_delete_own_message_group", "7"},
		{"can_move_messages_out_of_channel_group", "6", "can_move_messages_out_of_channel_group", "6"},
		{"can_move_messages_within_channel_group", "6", "can_move_messages_within_channel_group", "6"},
		{"can_resolve_topics_group", "6", "can_resolve_topics_group", "6"},
	} {
		name := fmt.Sprintf("channel %d", i)
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"`+name+`"}]`, c.param, c.value).OK()
		got := fmt.Sprint(s.As("olga").Do(fmt.Sprintf("GET /streams/%d", channelID(s, name))).OK().Get("stream." + c.key))
		if got != c.want {
			t.Errorf("%s=%s gives %s %s, want %s", c.param, c.value, c.key, got, c.want)
		}
	}
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"shared"}]`, "invite_only", "true",
		"history_public_to_subscribers", "true").OK()
	if s.As("olga").Do(fmt.Sprintf("GET /streams/%d",
		channelID(s, "shared"))).Get("stream.history_public_to_subscribers") != true {
		t.Error("the requested public history is not public")
	}
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"red","color":"#F00"}]`).OK()
	// null counts as missing; half a surrogate pair after an escaped backslash is text.
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions",
		`[{"name":"\\ud800 \ud83d\ude00 \ufffd","description":null,"color":null}]`,
		"message_retention_days", "null", "topics_policy", "null").OK()
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", channelID(s, "\\ud800 😀 \ufffd")), "message_retention_days", "null",
		"topics_policy", "null").OK()
	s.As("olga").Do("GET /users/me/subscriptions", "include_subscribers", "null").OK()
	if got := s.As("olga").Do("GET /users/me/subscriptions"); !strings.Contains(got.Body, `"color":"#ff0000"`) {
		t.Errorf("the requested color is missing: %s", got.Body)
	}
}

func TestSubscribeRefused(t *testing.T) {
	s := start(t)
	many, some := strings.Repeat("1,", 50_000)+"1", "1"
	for i := range 1000 {
		some += fmt.Sprint(",", i+2)
	}
	for _, c := range []struct {
		who    string
		params []string
		msg    string
	}{
		{"guest", []string{"subscriptions", `[{"name":"general"}]`}, "Not allowed for guest users"},
		{"alice", []string{"subscriptions", `[{"name":""}]`}, "Channel name can't be empty."},
		{"alice", []string{"subscriptions", `[{"description":"x"}]`}, "Channel name can't be empty."},
		{"alice", []string{"subscriptions", `[{"name":"` + strings.Repeat("x", 61) + `"}]`}, "too long (limit: 60"},
		{"alice", []string{"subscriptions", `[{"name":"a\u0007b"}]`}, "at position 2"},
		{"alice", []string{"subscriptions", `[{"name":"a\\b\ud83d\ude00\ud800"}]`}, "at position 5"},
		{"alice", []string{"subscriptions", `[{"name":"\uDE00b"}]`}, "at position 1"},
		{"alice", []string{"subscriptions", `[{"name":5}]`}, `subscriptions[0]["name"] is not a string`},
		{"alice", []string{"subscriptions", `[{"name":"new","color":"blue"}]`}, "color"},
		{"alice", []string{"subscriptions", `[{"name":"new","description":"` + strings.Repeat("x", 1025) + `"}]`},
			"description too long"},
		{"alice", []string{"subscriptions", `["new"]`}, "subscriptions[0] is not a dict"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "folder_id", "1"}, "Invalid channel folder ID"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "topics_policy", "none"}, "Invalid topics_policy"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "message_retention_days", "0"}, "message_retention_days"},
		{"adam", []string{"subscriptions", `[{"name":"new"}]`, "message_retention_days", "7"},
			"Must be an organization owner"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "is_default_stream", "true"}, "Insufficient permission"},
		{"olga", []string{"subscriptions", `[{"name":"new"}]`, "is_default_stream", "true", "invite_only", "true"},
			"default channel cannot be private"},
		{"olga", []string{"subscriptions", `[{"name":"new"}]`, "is_web_public", "true"},
			"Web-public channels are not enabled."},
		{"olga", []string{"subscriptions", `[{"name":"new"}]`, "is_web_public", "true", "invite_only", "true"},
			"Invalid parameters"},
		{"olga", []string{"subscriptions", `[{"name":"new"}]`, "history_public_to_subscribers", "false"},
			"Invalid parameters"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "can_delete_any_message_group", "6"},
			"Insufficient permission"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "can_subscribe_group", "8"}, "can_subscribe_group"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "can_subscribe_group", "7"}, "can_subscribe_group"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "can_subscribe_group",
			`{"direct_members":[99],"direct_subgroups":[]}`}, "Invalid user ID"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "can_subscribe_group", `{"direct_members":[` + some + `]}`},
			"'can_subscribe_group' can name at most 1000 users and groups. Put them into a user group, and name that."},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "can_subscribe_group", `"all"`}, "Invalid user group ID"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "principals", "[99]"}, "No such user"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "principals", `["nobody@example.com"]`}, "No such user"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "principals", `[1,"bob@example.com"]`}, "principals"},
		{"alice", []string{"subscriptions", `[{"name":"new"}]`, "principals", "[" + many + "]"}, ""},
		{"bob", []string{"subscriptions", `[{"name":"new"},{"name":"Secret"}]`}, "Unable to access channel (Secret)."},
		{"adam", []string{"subscriptions", `[{"name":"secret"}]`}, "Unable to access channel (secret)."},
	} {
		code := "BAD_REQUEST"
		if strings.HasPrefix(c.msg, "Must be") {
			code = "UNAUTHORIZED_PRINCIPAL"
		}
		s.As(c.who).Do("POST /users/me/subscriptions", c.params...).Error(400, code, c.msg)
	}
	s.As("alice").Do("POST /users/me/subscriptions").Error(400, "REQUEST_VARIABLE_MISSING", "subscriptions")
	s.NoEvents()
	if n := len(streams(s, "olga")); n != 2 {
		t.Errorf("refused requests created channels: there are %d", n)
	}
}

// Parameters of new channels are ignored if all channels exist. If a channel is unknown, they are validated whether it
// is missing or hidden.
func TestCreationParametersAreForNewChannels(t *testing.T) {
	s := start(t)
	for _, params := range [][]string{
		{"history_public_to_subscribers", "false"}, {"topics_policy", "none"}, {"message_retention_days", "0"},
		{"message_retention_days", "7"},
		{"is_default_stream", "true", "invite_only", "true"}, {"is_web_public", "true"},
		{"is_web_public", "true", "invite_only", "true"},
		{"folder_id", "99"}, {"can_send_message_group", "8"}, {"can_subscribe_group", `{"direct_members":[99]}`},
		{"is_default_stream", "true"},
	} {
		subscribe := func(names string) *kittest.Response {
			return s.As("bob").Do("POST /users/me/subscriptions", append([]string{"subscriptions", names}, params...)...)
		}
		subscribe(`[{"name":"general"}]`).Is(200, `{"result":"success","msg":"","subscribed":{},"already_subscribed":{"`+
			id(s, "bob")+`":["general"]},"new_subscription_messages_sent":true}`)
		refusal := subscribe(`[{"name":"general"},{"name":"not there"}]`)
		if refusal.Status != 400 {
			t.Errorf("%v: %s", params, refusal.Body)
		}
		if hidden := subscribe(`[{"name":"general"},{"name":"secret"}]`); hidden.Body != refusal.Body {
			t.Errorf("%v: %s for a missing channel, %s for one that bob may not see", params, refusal.Body,
				hidden.Body)
		}
		s.NoEvents()
	}
}

// Users named by the permissions of new channels are counted once per channel.
func TestNamedByManyNewChannels(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {max_subscriptions: 20}}"}, channels.Module)
	named := fmt.Sprintf(`{"direct_members":[%d,%d],"direct_subgroups":[3]}`, s.UserID("alice"), s.UserID("bob"))
	subscribe := func(n int, params ...string) *kittest.Response {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf(`{"name":"%d of %d"}`, i, n))
		}
		return s.As("alice").Do("POST /users/me/subscriptions",
			append([]string{"subscriptions", "[" + strings.Join(names, ",") + "]"}, params...)...)
	}
	s.Skip()
	for _, params := range [][]string{
		{"can_send_message_group", named, "can_create_topic_group", named},
		{"can_send_message_group", named, "principals", fmt.Sprintf("[%d,%d,%d,%d]", s.UserID("alice"), s.UserID("bob"),
			s.UserID("olga"), s.UserID("mona"))},
	} {
		subscribe(3, params...).Error(400, "BAD_REQUEST",
			"The permissions of the new channels name too many users (limit: 20, all channels together). Name a user group.")
		s.NoEvents()
		for i := range 3 {
			s.As("alice").Do("GET /get_stream_id", "stream", fmt.Sprintf("%d of 3", i)).Error(400, "BAD_REQUEST",
				"Invalid channel name")
		}
	}
	subscribe(2, "can_send_message_group", named, "can_create_topic_group", named).OK()
	subscribe(2, "can_send_message_group", named, "can_create_topic_group", named).OK() // the channels exist
	subscribe(19, "can_send_message_group", "3").OK()                                   // a named group is free
}

func TestSubscribeProtectedHistoryLimitsTopics(t *testing.T) {
	s := start(t)
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"new"}]`, "invite_only", "true",
		"can_create_topic_group", "6").
		Is(400, `{"result":"error","code":"BAD_REQUEST","msg":"*","parameters":["history_public_to_subscribers",`+
			`"can_create_topic_group"]}`)
	s.NoEvents()
}

func TestSubscribeOthers(t *testing.T) {
	s := start(t)
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome"},{"name":"general"}]`,
		"principals", `["bob@example.com","mona@example.com","bot@example.com"]`).
		Is(200, `{"result":"success","msg":"","subscribed":{"`+id(s, "bob")+`":["Rome"],"`+id(s, "mona")+
			`":["Rome","general"],"`+id(s, "bot")+`":["Rome"]},
			"already_subscribed":{"`+id(s, "bob")+`":["general"],"`+id(s,
			"bot")+`":["general"]},"new_subscription_messages_sent":true}`)
	rome, general := channelID(s, "Rome"), int64(s.ChannelID("general"))
	if got := subscribers(s, rome); got != "["+id(s, "bob")+" "+id(s, "mona")+" "+id(s, "bot")+"]" {
		t.Errorf("subscribers of Rome: %s; the creator named only others", got)
	}
	s.Events(
		fmt.Sprintf(`stream/create knowing:%d`, rome),
		`subscription/add users:bob,mona,bot`,
		fmt.Sprintf(`subscription/peer_add everyone-bob-mona-bot {"stream_ids":[%d],"user_ids":%s}`, rome,
			list(s, "bob", "mona", "bot")),
		fmt.Sprintf(`subscription/peer_add everyone-mona {"stream_ids":[%d],"user_ids":%s}`, general, list(s, "mona")),
	)
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome"}]`, "principals", "[]").OK()
	if got := subscribers(s, rome); !strings.Contains(got, "["+id(s, "alice")+" ") {
		t.Errorf("an empty list of principals means the caller; subscribers of Rome: %s", got)
	}
}

func TestSubscribeOthersNeedsPermission(t *testing.T) {
	s := start(t)
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"mine"}]`, "invite_only", "true",
		"principals", list(s, "alice", "bob")).OK()
	mine := channelID(s, "mine")
	s.Skip()
	// bob can see the channel, and the realm lets members add subscribers: allowed. A subscribed guest may not add anyone.
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"mine"}]`, "principals",
		list(s, "guest")).OK()
	s.Events(
		`stream/create user:guest`,
		`subscription/add user:guest`,
		fmt.Sprintf(`subscription/peer_add knowing:%d-guest {"stream_ids":[%d],"user_ids":%s}`, mine, mine, list(s, "guest")),
	)
	s.As("mona").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"mine"}]`, "principals", list(s, "guest")).
		Error(400, "BAD_REQUEST", "Unable to access channel (mine).")
}

func TestSubscribeNotFatal(t *testing.T) {
	s := start(t)
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"},{"name":"general"}]`,
		"authorization_errors_fatal", "false", "send_new_subscription_messages", "false").
		Is(200, `{"result":"success","msg":"","subscribed":{},"already_subscribed":{"`+id(s, "bob")+
			`":["general"]},"unauthorized":["secret"]}`)
	s.NoEvents()
}

func TestSubscribePrivateStaysHidden(t *testing.T) {
	s := start(t)
	secret := int64(s.ChannelID("secret"))
	for _, who := range []string{"bob", "mona", "guest", "bot"} {
		for _, path := range []string{"GET /streams", "GET /streams?include_all=true",
			"GET /streams?include_can_access_content=true"} {
			if strings.Contains(s.As(who).Do(path).OK().Body, `"secret"`) {
				t.Errorf("%s finds the private channel with %s", who, path)
			}
		}
		missing := s.As(who).Do("GET /streams/9999").Error(400, "BAD_REQUEST", "Invalid channel ID").Body
		for _, path := range []string{"GET /streams/%d", "GET /streams/%d/members", "PATCH /streams/%d",
			"DELETE /streams/%d"} {
			if got := s.As(who).Do(fmt.Sprintf(path, secret)).Body; got != missing {
				t.Errorf("%s: "+path+" answers %s, and for a missing channel %s", who, secret, got, missing)
			}
		}
		s.As(who).Do(fmt.Sprintf("GET /users/%s/subscriptions/%d", id(s, "alice"), secret)).Error(400, "BAD_REQUEST",
			"Invalid channel ID")
		s.As(who).Do("GET /get_stream_id", "stream", "secret").Error(400, "BAD_REQUEST", "Invalid channel name 'secret'")
		s.As(who).Do("GET /get_stream_id", "stream", "nothing").Error(400, "BAD_REQUEST", "Invalid channel name 'nothing'")
		s.As(who).Do("DELETE /users/me/subscriptions", "subscriptions", `["secret","nothing"]`).
			Error(400, "BAD_REQUEST", "Channel(s) (secret, nothing) do not exist")
		if got := s.As(who).Do("GET /users/" + id(s, "alice") + "/channels").OK().Body; strings.Contains(got,
			fmt.Sprint(secret)) {
			t.Errorf("%s sees the private channel among %s's channels: %s", who, "alice", got)
		}
	}
	s.As("adam").Do(fmt.Sprintf("GET /streams/%d", secret)).OK()
	s.As("adam").Do("GET /get_stream_id", "stream", "secret").Error(400, "BAD_REQUEST", "Invalid channel name 'secret'")
	s.As("alice").Do("GET /get_stream_id", "stream", "SECRET").Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","stream_id":%d}`, secret))
}

// A user can create a limited number of channels per day, one by one or together. Other users are not affected.
func TestChannelsPerDay(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {max_daily_channels: 3}}"},
		realm.Module, accounts.Module, channels.Module)
	subscribe := func(who string, names ...string) *kittest.Response {
		var all []map[string]string
		for _, n := range names {
			all = append(all, map[string]string{"name": n})
		}
		return s.As(who).Do("POST /users/me/subscriptions", "subscriptions", kittest.JSON(all))
	}
	create := func(who, name string) *kittest.Response {
		return s.As(who).Do("POST /channels/create", "name", name, "subscribers", "[]")
	}
	const refusal = "You have created too many channels today (limit: 3)."
	s.Clock.Advance(48 * time.Hour) // the channels created by the test kit are old by then
	subscribe("alice", "a", "b").OK()
	s.Skip()
	subscribe("alice", "c", "d").Error(400, "BAD_REQUEST", refusal)
	s.NoEvents()
	create("alice", "c").OK()
	s.Skip()
	create("alice", "d").Error(400, "BAD_REQUEST", refusal)
	subscribe("alice", "d").Error(400, "BAD_REQUEST", refusal)
	s.NoEvents()
	subscribe("alice", "a", "b", "c").OK() // all of them exist
	subscribe("bob", "d").OK()
	s.Clock.Advance(25 * time.Hour)
	create("alice", "e").OK()
}
