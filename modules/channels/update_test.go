package channels_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/channels"
)

func TestCreate(t *testing.T) {
	s := start(t)
	a := s.As("alice").Do("POST /channels/create", "name", " Carthage ", "subscribers", list(s, "bob", "guest"),
		"description", "d", "announce", "true").OK()
	c := a.Int("id")
	s.Events(
		fmt.Sprintf("stream/create knowing:%d", c),
		"subscription/add users:bob,guest",
		fmt.Sprintf(`subscription/peer_add everyone-bob-guest {"stream_ids":[%d],"user_ids":%s}`, c, list(s, "bob", "guest")),
	)
	for _, name := range []string{"carthage", "CARTHAGE", "general", "secret"} {
		s.As("bob").Do("POST /channels/create", "name", name, "subscribers", "[]").
			Is(409, `{"result":"error","code":"CHANNEL_ALREADY_EXISTS","msg":"*","channel_name":"`+name+`"}`)
	}
	s.As("guest").Do("POST /channels/create", "name", "x", "subscribers", "[]").Error(400, "BAD_REQUEST",
		"Not allowed for guest users")
	s.As("bob").Do("POST /channels/create", "name", " ", "subscribers", "[]").Error(400, "BAD_REQUEST", "empty")
	s.As("bob").Do("POST /channels/create", "name", "x", "subscribers", "[77]").Error(400, "BAD_REQUEST", "No such user")
	s.As("bob").Do("POST /channels/create", "name", "x").Error(400, "REQUEST_VARIABLE_MISSING", "subscribers")
	s.NoEvents()
	quiet := s.As("bob").Do("POST /channels/create", "name", "quiet", "subscribers", "[]").OK().Int("id")
	s.Events(fmt.Sprintf("stream/create knowing:%d", quiet))
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", c)).OK()
	s.As("bob").Do("POST /channels/create", "name", "Carthage", "subscribers", "[]").Error(409, "CHANNEL_ALREADY_EXISTS",
		"")
}

func TestUpdateTexts(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	path := fmt.Sprintf("PATCH /streams/%d", general)
	s.As("olga").Do(path, "new_name", "agora", "description", "**all**").Is(200, `{"result":"success","msg":""}`)
	s.Events(
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"name","value":"agora"}`,
			general),
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"agora","property":"description","value":"**all**",
			"rendered_description":"<p><strong>all</strong></p>"}`, general),
	)
	s.As("olga").Do("GET /get_stream_id", "stream", "general").Error(400, "BAD_REQUEST", "Invalid channel name")
	s.As("olga").Do("GET /get_stream_id", "stream", "Agora").OK()
	s.As("olga").Do(path, "new_name", "agora").Error(400, "BAD_REQUEST", "already has that name")
	s.As("olga").Do(path, "new_name", "Secret").Is(409,
		`{"result":"error","code":"CHANNEL_ALREADY_EXISTS","msg":"*","channel_name":"Secret"}`)
	s.As("olga").Do(path, "new_name", strings.Repeat("x", 61)).Error(400, "BAD_REQUEST", "too long")
	s.As("bob").Do(path, "description", "x").Error(400, "CANNOT_ADMINISTER_CHANNEL", "")
	s.As("olga").Do(path, "folder_id", "3").Error(400, "BAD_REQUEST", "Invalid channel folder ID")
	s.NoEvents()
	s.As("olga").Do(path, "folder_id", "null").OK()
	s.As("olga").Do(path, "description", "**all**").OK()
	s.NoEvents()
	s.As("olga").Do(path, "new_name", "AGORA").OK()
}

func TestUpdatePrivacy(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	path := fmt.Sprintf("PATCH /streams/%d", general)
	s.As("adam").Do(path, "history_public_to_subscribers", "false").Error(400, "BAD_REQUEST", "Invalid parameters")
	s.NoEvents()
	s.As("olga").Do(path, "is_private", "true").OK()
	s.Events(
		fmt.Sprintf(`stream/delete user:mona {"stream_ids":[%d],"streams":"*","for_archiving":false}`, general),
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"invite_only","value":true,
			"history_public_to_subscribers":false,"is_web_public":false}`, general),
	)
	s.As("mona").Do(fmt.Sprintf("GET /streams/%d", general)).Error(400, "BAD_REQUEST", "Invalid channel ID")
	s.As("olga").Do(path, "is_web_public", "true").Error(400, "BAD_REQUEST", "Invalid parameters")
	s.As("olga").Do(path, "is_default_stream", "true").Error(400, "BAD_REQUEST", "private")
	s.As("adam").Do(path, "is_private", "false").Error(400, "BAD_REQUEST", "Invalid channel ID")
	s.As("olga").Do(path, "can_create_topic_group", `{"new":6}`).Error(400, "BAD_REQUEST", "history_public_to_subscribers")
	s.NoEvents()
	s.As("olga").Do(path, "is_private", "false").OK()
	s.Events(
		fmt.Sprintf(`stream/update knowing:general-mona {"stream_id":%d,"name":"general","property":"invite_only","value":false,
			"history_public_to_subscribers":true,"is_web_public":false}`, general),
		`stream/create user:mona`,
		fmt.Sprintf(`subscription/peer_add user:mona {"stream_ids":[%d],"user_ids":%s}`, general,
			list(s, "alice", "bob", "olga", "guest", "bot")),
	)
	s.As("olga").Do(path, "is_web_public", "true").Error(400, "BAD_REQUEST", "Web-public channels are not enabled.")
	// Making a channel private without choosing its history makes the history protected; requests without either parameter
	// change neither.
	s.As("olga").Do(path, "is_private", "true", "history_public_to_subscribers", "true").OK()
	s.As("olga").Do(path, "is_web_public", "false", "description", "x").OK()
	history := func() any {
		return s.As("olga").Do(fmt.Sprintf("GET /streams/%d", general)).OK().Get("stream.history_public_to_subscribers")
	}
	if history() != true {
		t.Error("the history is protected although nobody asked for it")
	}
	s.As("olga").Do(path, "is_private", "true").OK()
	if history() != false {
		t.Error("the history is not protected")
	}
}

func TestUpdatePermissions(t *testing.T) {
	s := start(t)
	secret := int64(s.ChannelID("secret"))
	path := fmt.Sprintf("PATCH /streams/%d", secret)
	bob := `{"direct_members":` + list(s, "bob") + `,"direct_subgroups":[]}`
	s.As("olga").Do(path, "can_administer_channel_group", `{"new":`+bob+`,"old":1}`).
		Is(400, `{"result":"error","code":"EXPECTATION_MISMATCH","msg":"*","field_name":"can_administer_channel_group"}`)
	s.As("olga").Do(path, "can_subscribe_group", `{"new":7}`).Error(400, "BAD_REQUEST", "can_subscribe_group")
	s.As("adam").Do(path, "can_subscribe_group", `{"new":`+bob+`}`).Error(400, "BAD_REQUEST", "Insufficient permission")
	s.NoEvents()

	s.As("adam").Do(path, "can_administer_channel_group", `{"new":`+bob+`}`).OK()
	s.Events(
		fmt.Sprintf(`stream/update knowing:secret-bob {"stream_id":%d,"name":"secret",`+
			`"property":"can_administer_channel_group","value":%s}`, secret, bob),
		`stream/create user:bob`,
		fmt.Sprintf(`subscription/peer_add user:bob {"stream_ids":[%d],"user_ids":%s}`, secret, list(s, "alice", "olga")),
	)
	s.As("bob").Do(path, "can_send_message_group", `{"new":3,"old":7}`).OK()
	s.Events(
		fmt.Sprintf(`stream/update knowing:secret {"stream_id":%d,"name":"secret","property":"can_send_message_group",`+
			`"value":3}`, secret),
		fmt.Sprintf(`stream/update knowing:secret {"stream_id":%d,"name":"secret","property":"stream_post_policy","value":2}`,
			secret),
		fmt.Sprintf(`stream/update knowing:secret {"stream_id":%d,"name":"secret","property":"is_announcement_only",`+
			`"value":true}`, secret),
	)
	s.As("bob").Do(path, "can_delete_any_message_group", `{"new":6}`).Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("bob").Do(path, "message_retention_days", "5").Error(400, "UNAUTHORIZED_PRINCIPAL",
		"Must be an organization owner")
	s.As("bob").Do(path, "is_default_stream", "false").OK()
	s.NoEvents()
	s.As("olga").Do(path, "can_administer_channel_group", `{"new":1}`).OK()
	s.Events(
		fmt.Sprintf(`stream/delete user:bob {"stream_ids":[%d],"streams":"*","for_archiving":false}`, secret),
		`stream/update knowing:secret`,
	)
	s.As("olga").Do(path, "message_retention_days", "unlimited", "topics_policy", "disable_empty_topic").OK()
	s.Events(
		fmt.Sprintf(`stream/update knowing:secret {"stream_id":%d,"name":"secret","property":"message_retention_days",`+
			`"value":-1}`, secret),
		fmt.Sprintf(`stream/update knowing:secret {"stream_id":%d,"name":"secret","property":"topics_policy",`+
			`"value":"disable_empty_topic"}`, secret),
	)
}

func TestArchive(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	s.As("adam").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	s.Skip()
	path := fmt.Sprintf(" /streams/%d", general)
	s.As("olga").Do("PATCH"+path, "is_archived", "false").Error(400, "BAD_REQUEST", "not currently archived")
	s.As("bob").Do("DELETE"+path).Error(400, "CANNOT_ADMINISTER_CHANNEL", "")
	s.NoEvents()
	s.As("adam").Do("DELETE" + path).OK()
	s.Events(
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"is_archived","value":true,`+
			`"reach":1}`, general),
		fmt.Sprintf(`stream/delete knowing:general {"stream_ids":[%d],"streams":"*","for_archiving":true,"reach":2}`,
			general),
		`default_streams nonguests {"default_streams":[]}`,
	)
	s.As("adam").Do("DELETE"+path).Error(400, "BAD_REQUEST", "already archived")
	if s.As("bob").Do("GET"+path).OK().Get("stream.is_archived") != true {
		t.Error("the channel is not archived")
	}
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	s.Skip()
	s.As("adam").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).Error(400, "BAD_REQUEST",
		"Invalid channel ID")
	s.As("adam").Do("PATCH"+path, "is_archived", "false").OK()
	s.Events(
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"is_archived","value":false,`+
			`"reach":1}`, general),
		`stream/create knowing:general`,
		fmt.Sprintf(`subscription/peer_add users:bob,adam,mona {"seen":[%d],"reach":2}`, general),
		`subscription/add subscribers:general`,
	)
}

// A channel can be unarchived and made a default channel in one request. Other combinations are still rejected.
func TestOutOfTheArchive(t *testing.T) {
	s := start(t)
	general, empty := int64(s.ChannelID("general")),
		s.As("olga").Do("POST /channels/create", "name", "empty", "subscribers", "[]", "invite_only", "true",
			"can_subscribe_group", "2").OK().Int("id")
	path, other := fmt.Sprintf("PATCH /streams/%d", general), fmt.Sprintf("PATCH /streams/%d", empty)
	const no = "An archived channel cannot be a default channel."
	s.As("olga").Do(path, "is_archived", "false", "is_default_stream", "true").Error(400, "BAD_REQUEST",
		"Channel is not currently archived.")
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", general)).OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", empty)).OK()
	s.Skip()
	s.As("olga").Do(path, "is_default_stream", "true").Error(400, "BAD_REQUEST", no)
	s.As("olga").Do(path, "is_archived", "true", "is_default_stream", "true").Error(400, "BAD_REQUEST", no)
	s.As("olga").Do(path, "is_archived", "false", "is_private", "true", "is_default_stream", "true").Error(400,
		"BAD_REQUEST", "A default channel cannot be private.")
	s.As("olga").Do(other, "is_archived", "false").Error(400, "BAD_REQUEST", "Channel is private and has no subscribers.")
	s.As("olga").Do(other, "is_archived", "false", "is_default_stream", "true").Error(400, "BAD_REQUEST",
		"A default channel cannot be private.")
	s.NoEvents()
	s.As("olga").Do(path, "is_archived", "false", "is_default_stream", "true").OK()
	s.Events(
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"is_archived","value":false,`+
			`"reach":1}`, general),
		`stream/create knowing:general`, fmt.Sprintf(`subscription/peer_add users:adam,mona {"seen":[%d],"reach":2}`,
			general),
		fmt.Sprintf(`default_streams nonguests {"default_streams":[%d]}`, general), `subscription/add subscribers:general`,
	)
	s.As("olga").Do(other, "is_archived", "false", "is_private", "false", "is_default_stream", "true").OK()
	s.Skip()
	for _, c := range s.As("bob").Do("GET /streams", "include_default", "true").OK().Get("streams").([]any) {
		if c := c.(map[string]any); c["is_archived"] != false || c["is_default"] != true {
			t.Errorf("%v", c)
		}
	}
}

func TestDefaults(t *testing.T) {
	s := start(t)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	s.As("bob").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).Error(400, "UNAUTHORIZED_PRINCIPAL",
		"administrator")
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(secret)).Error(400, "BAD_REQUEST", "Private channels")
	s.As("olga").Do("POST /default_streams", "stream_id", "999").Error(400, "BAD_REQUEST", "Invalid channel ID")
	s.NoEvents()
	s.As("adam").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	s.Events(fmt.Sprintf(`default_streams nonguests {"default_streams":[%d]}`, general))
	s.As("adam").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	s.NoEvents()
	s.As("adam").Do(fmt.Sprintf("PATCH /streams/%d", general), "is_private", "true").Error(400, "BAD_REQUEST", "")
	s.As("adam").Do("DELETE /default_streams", "stream_id", fmt.Sprint(general)).OK()
	s.Events(`default_streams nonguests {"default_streams":[]}`)
}

func TestWebPublic(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {web_public_streams: true}}"}, channels.Module)
	s.As("olga").Do("POST /channels/create", "name", "world", "subscribers", "[]", "is_web_public", "true").
		Error(400, "BAD_REQUEST", "Web-public channels are not enabled.") // the realm does not admit spectators
	s.NoEvents()
}

func TestRestartKeepsEverything(t *testing.T) {
	s := start(t)
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome","color":"#010203"}]`,
		"message_retention_days", "9",
		"can_send_message_group", "4", "principals", list(s, "olga", "bob")).OK()
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["Rome"]`).OK()
	before := s.As("olga").Do("GET /users/me/subscriptions", "include_subscribers", "true").OK().Body
	s.Restart()
	if after := s.As("olga").Do("GET /users/me/subscriptions", "include_subscribers", "true").OK().Body; after != before {
		t.Errorf("after a restart\n%s\nbefore\n%s", after, before)
	}
}
