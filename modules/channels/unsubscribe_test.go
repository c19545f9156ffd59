package channels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
)

func TestUnsubscribe(t *testing.T) {
	s := start(t)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["Secret","general"]`).
		Is(200, `{"result":"success","msg":"","removed":["secret","general"],"not_removed":[]}`)
	s.Events(
		fmt.Sprintf(`subscription/remove user:alice {"crowds":[{"channel":%d,"name":"secret","users":%s},{"channel":%d,`+
			`"name":"general","users":%s}]}`,
			secret, list(s, "alice"), general, list(s, "alice")),
		fmt.Sprintf(`subscription/peer_remove knowing:secret-alice {"stream_ids":[%d],"user_ids":%s}`, secret,
			list(s, "alice")),
		fmt.Sprintf(`subscription/peer_remove everyone-alice {"stream_ids":[%d],"user_ids":%s}`, general, list(s, "alice")),
		fmt.Sprintf(`stream/delete user:alice {"stream_ids":[%d],"streams":"*","for_archiving":false}`, secret),
	)
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).
		Is(200, `{"result":"success","msg":"","removed":[],"not_removed":["general"]}`)
	s.NoEvents()
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret","Nowhere"]`).
		Error(400, "BAD_REQUEST", "Channel(s) (secret, Nowhere) do not exist")
	s.NoEvents()
}

func TestUnsubscribeGuestLosesAccess(t *testing.T) {
	s := start(t)
	s.As("guest").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	general := int64(s.ChannelID("general"))
	s.Events(
		`subscription/remove user:guest`,
		`subscription/peer_remove everyone-guest`,
		fmt.Sprintf(`stream/delete user:guest {"stream_ids":[%d],"streams":"*","for_archiving":false}`, general),
	)
	s.As("guest").Do(fmt.Sprintf("GET /streams/%d", general)).Error(400, "BAD_REQUEST", "Invalid channel ID")
}

func TestUnsubscribeOthers(t *testing.T) {
	s := start(t)
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`, "principals", list(s, "alice")).
		Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`, "principals", list(s, "bot")).
		Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`, "principals", "[99]").Error(400,
		"BAD_REQUEST", "No such user")
	s.NoEvents()
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`, "principals", list(s, "bot")).
		Is(200, `{"result":"success","msg":"","removed":["general"],"not_removed":[]}`)
	s.As("adam").Do("DELETE /users/me/subscriptions", "subscriptions", `["general","secret"]`, "principals",
		list(s, "alice", "mona")).
		Is(200, `{"result":"success","msg":"","removed":["general","secret"],"not_removed":["general","secret"]}`)
}

// Users who are removed from a private channel lose their bots' subscriptions as well. Bots stay if their owner leaves,
// and in public channels.
func TestUnsubscribeBots(t *testing.T) {
	s := start(t)
	in := func(channel string) string {
		who := fmt.Sprint(s.As("olga").Do(fmt.Sprintf("GET /streams/%d/members",
			s.ChannelID(channel))).OK().Get("subscribers"))
		has := func(name string) bool {
			return slices.Contains(strings.Fields(strings.Trim(who, "[]")), fmt.Sprint(s.UserID(name)))
		}
		return fmt.Sprint(has("alice"), " ", has("bot"))
	}
	join := func() {
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"},{"name":"general"}]`,
			"principals", list(s, "alice", "bot")).OK()
	}
	join()
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret","general"]`).OK()
	if got := in("secret") + " " + in("general"); got != "false true false true" {
		t.Errorf("the user who left unsubscribed %s", got)
	}
	join()
	s.Skip()
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret","general"]`, "principals",
		list(s, "alice")).
		Is(200, `{"result":"success","msg":"","removed":["secret","general"],"not_removed":[]}`)
	if got := in("secret") + " " + in("general"); got != "false false false true" {
		t.Errorf("removing the user unsubscribed %s", got)
	}
	s.EventsOf("subscription", "subscription/remove users:alice,bot",
		fmt.Sprintf(`subscription/peer_remove knowing:secret-alice-bot {"stream_ids":[%d],"user_ids":%s}`,
			s.ChannelID("secret"), list(s, "alice", "bot")),
		fmt.Sprintf(`subscription/peer_remove everyone-alice {"stream_ids":[%d],"user_ids":%s}`, s.ChannelID("general"),
			list(s, "alice")),
		fmt.Sprintf(`subscription/peer_remove users:alice,bot {"stream_ids":[%d],"user_ids":%s,"among":true}`,
			s.ChannelID("secret"), list(s, "alice", "bot")))
}

func TestResubscribeKeepsSettings(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	s.As("bob").Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", general), "property", "color", "value", "#123").OK()
	s.As("bob").Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", general), "property", "is_muted", "value", "true").OK()
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	s.Skip()
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	s.Events(
		fmt.Sprintf(`subscription/add user:bob {"crowds":[{"channel":%d,"personal":{"color":"#112233","muted":true},`+
			`"users":%s}]}`, general, list(s, "bob")),
		`subscription/peer_add everyone-bob`,
	)
}

func TestPatchSubscriptions(t *testing.T) {
	s := start(t)
	s.As("alice").Do("PATCH /users/me/subscriptions", "add", `[{"name":"Rome"}]`, "delete", `["general"]`).
		Is(200, `{"result":"success","msg":"","subscribed":{"`+id(s, "alice")+`":["Rome"]},"already_subscribed":{},
			"new_subscription_messages_sent":true,"removed":["general"],"not_removed":[]}`)
	s.Skip()
	s.As("alice").Do("PATCH /users/me/subscriptions").Error(400, "BAD_REQUEST", "Nothing to do")
	s.As("alice").Do("PATCH /users/me/subscriptions", "add", `[{"name":"Carthage"}]`, "delete", `["nowhere"]`).
		Error(400, "BAD_REQUEST", "Channel(s) (nowhere) do not exist")
	s.As("guest").Do("PATCH /users/me/subscriptions", "add", `[{"name":"Rome"}]`).Error(400, "BAD_REQUEST",
		"Not allowed for guest users")
	s.NoEvents()
	for _, c := range streams(s, "olga") {
		if c["name"] == "Carthage" {
			t.Error("the request was applied in part")
		}
	}
	s.As("guest").Do("PATCH /users/me/subscriptions", "delete", `["general"]`).OK()
}

func TestProperties(t *testing.T) {
	s := start(t)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	s.As("bob").Do("POST /users/me/subscriptions/properties", "subscription_data", fmt.Sprintf(
		`[{"stream_id":%d,"property":"color","value":"#ABCDEF","extra":1},{"stream_id":%d,"property":"is_muted","value":true},
		{"stream_id":%d,"property":"push_notifications","value":false}]`, general, general, general)).
		Is(200, `{"result":"success","msg":""}`)
	s.Events(
		fmt.Sprintf(`subscription/update user:bob {"stream_id":%d,"property":"color","value":"#abcdef"}`, general),
		fmt.Sprintf(`subscription/update user:bob {"stream_id":%d,"property":"in_home_view","value":false}`, general),
		fmt.Sprintf(`subscription/update user:bob {"stream_id":%d,"property":"is_muted","value":true}`, general),
		fmt.Sprintf(`subscription/update user:bob {"stream_id":%d,"property":"push_notifications","value":false}`, general),
	)
	sub := s.As("bob").Do("GET /users/me/subscriptions").OK()
	for key, want := range map[string]string{"color": "#abcdef", "is_muted": "true", "in_home_view": "false",
		"pin_to_top":         "false",
		"push_notifications": "false", "desktop_notifications": "<nil>"} {
		if got := fmt.Sprint(sub.Get("subscriptions.0." + key)); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	for _, c := range []struct {
		channel         int64
		property, value string
		msg             string
	}{
		{general, "name", "x", "Unknown subscription property: name"},
		{general, "is_muted", "1", "is_muted is not a boolean"},
		{general, "is_muted", `"true"`, "is_muted is not a boolean"},
		{general, "color", "#12", "color is not a valid hex color code"},
		{secret, "is_muted", "true", "Invalid channel ID"},
		{9999, "is_muted", "true", "Invalid channel ID"},
	} {
		s.As("bob").Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", c.channel), "property", c.property, "value",
			c.value).Error(400, "BAD_REQUEST", c.msg)
	}
	s.As("adam").Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", general), "property", "is_muted", "value", "true").
		Error(400, "BAD_REQUEST", fmt.Sprintf("Not subscribed to channel ID %d", general))
	s.As("bob").Do("POST /users/me/subscriptions/properties", "subscription_data", fmt.Sprintf(
		`[{"stream_id":%d,"property":"pin_to_top","value":true},{"stream_id":9999,"property":"pin_to_top","value":true}]`,
		general)).Error(400, "BAD_REQUEST", "Invalid channel ID")
	s.NoEvents()
	if got := fmt.Sprint(s.As("bob").Do("GET /users/me/subscriptions").Get("subscriptions.0.pin_to_top")); got != "false" {
		t.Error("the request was applied in part")
	}
}

// If one request sets a property repeatedly, only the last value counts. Unchanged values produce no event.
func TestRepeatedPropertiesSendOneEvent(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	set := func(all string) *kittest.Response {
		return s.As("bob").Do("POST /users/me/subscriptions/properties", "subscription_data",
			strings.ReplaceAll(all, "G", fmt.Sprint(general)))
	}
	set(`[{"stream_id":G,"property":"is_muted","value":true},{"stream_id":G,"property":"push_notifications","value":true},
		{"stream_id":G,"property":"color","value":"#111111"},{"stream_id":G,"property":"in_home_view","value":true},
		{"stream_id":G,"property":"color","value":"#222222"},{"stream_id":G,"property":"pin_to_top","value":false}]`).OK()
	s.Events(
		fmt.Sprintf(`subscription/update user:bob {"stream_id":%d,"property":"push_notifications","value":true}`, general),
		fmt.Sprintf(`subscription/update user:bob {"stream_id":%d,"property":"color","value":"#222222"}`, general),
	)
	set(`[{"stream_id":G,"property":"push_notifications","value":true},` +
		`{"stream_id":G,"property":"color","value":"#222"}]`).OK()
	set(`[{"stream_id":G,"property":"color","value":"red"},{"stream_id":G,"property":"color","value":"#333333"}]`).
		Error(400, "BAD_REQUEST", "color is not a valid hex color code")
	one := `{"stream_id":G,"property":"pin_to_top","value":true}`
	set("["+strings.Repeat(one+",", 1000)+one+"]").Error(400, "BAD_REQUEST",
		"Too many settings in one request (limit: 1000).")
	s.NoEvents()
	set("[" + strings.Repeat(one+",", 999) + one + "]").OK()
	s.Events(fmt.Sprintf(`subscription/update user:bob {"stream_id":%d,"property":"pin_to_top","value":true}`, general))
}

func TestModule(t *testing.T) { kittest.Check(t, channels.Module, accounts.Module) }
