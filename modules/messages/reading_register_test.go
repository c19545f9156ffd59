package messages_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// section returns one key of the /register response.
func section(s *kittest.Server, as, key, types string) string {
	s.T.Helper()
	var all map[string]json.RawMessage
	s.As(as).Do("POST /register", "event_types", types, "fetch_event_types", types).OK().JSON(&all)
	return string(all[key])
}

func same(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got %s, want %s", got, want)
	}
}

const unreadTypes = `["message","update_message_flags"]`

func TestUnreadMsgs(t *testing.T) {
	s := startWithQueues(t)
	same(t, section(s, "bob", "unread_msgs", unreadTypes),
		`{"count":0,"pms":[],"streams":[],"huddles":[],"mentions":[],"old_unreads_missing":false}`)
	alice, bob, olga, general := s.UserID("alice"), s.UserID("bob"), s.UserID("olga"), s.ChannelID("general")
	dm1, self := sendDirect(s, "alice", "a", "bob"), sendDirect(s, "bob", "note", "bob")
	dm2 := sendDirect(s, "alice", "b", "bob")
	group := sendDirect(s, "olga", "c", "alice", "bob")
	z, b := post(s, "alice", "general", "z", "@**Bob**"), post(s, "alice", "general", "b", "hi")
	z2, empty := post(s, "alice", "general", "Z", "@**all**"), post(s, "alice", "general", "", "hi")
	post(s, "alice", "secret", "x", "hi")
	want := fmt.Sprintf(`{"count":8,"old_unreads_missing":false,"mentions":[%d,%d],
		"pms":[{"other_user_id":%d,"sender_id":%d,"unread_message_ids":[%d,%d]},{"other_user_id":%d,"sender_id":%d,"unread_message_ids":[%d]}],
		"huddles":[{"user_ids_string":"%d,%d,%d","unread_message_ids":[%d]}],
		"streams":[{"stream_id":%d,"topic":"Z","unread_message_ids":[%d,%d]},{"stream_id":%d,"topic":"b","unread_message_ids":[%d]},
			{"stream_id":%d,"topic":"general chat","unread_message_ids":[%d]}]}`,
		z, z2, alice, alice, dm1, dm2, bob, bob, self, alice, bob, olga, group, general, z, z2, general, b, general, empty)
	same(t, section(s, "bob", "unread_msgs", unreadTypes), want)
	s.Restart()
	same(t, section(s, "bob", "unread_msgs", unreadTypes), want)

	if got := section(s, "bob", "unread_msgs", `["message"]`); got != "" {
		t.Errorf("without update_message_flags: %s", got)
	}
	mark(s, "bob", "add", "read", dm1, dm2, self, group, z, z2, empty).OK()
	rest := fmt.Sprintf(`{"count":1,"pms":[],"huddles":[],"mentions":[],"old_unreads_missing":false,
		"streams":[{"stream_id":%d,"topic":"b","unread_message_ids":[%d]}]}`, general, b)
	same(t, section(s, "bob", "unread_msgs", unreadTypes), rest)
	// Messages above the floor count again; messages from before the subscription do not.
	s.As("mona").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	last := post(s, "alice", "general", "b", "hi")
	same(t, section(s, "mona", "unread_msgs", unreadTypes),
		fmt.Sprintf(`{"count":1,"pms":[],"huddles":[],"mentions":[],"old_unreads_missing":false,
		"streams":[{"stream_id":%d,"topic":"b","unread_message_ids":[%d]}]}`, general, last))
	s.As("mona").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	same(t, section(s, "mona", "unread_msgs", unreadTypes),
		`{"count":0,"pms":[],"streams":[],"huddles":[],"mentions":[],"old_unreads_missing":false}`)
}

func TestStarredAndMutedSections(t *testing.T) {
	s := startWithQueues(t)
	same(t, section(s, "bob", "starred_messages", `["starred_messages"]`), `[]`)
	same(t, section(s, "bob", "muted_users", `["muted_users"]`), `[]`)
	a, b := post(s, "alice", "general", "x", "hi"), post(s, "alice", "general", "x", "hi")
	mark(s, "bob", "add", "starred", b).OK()
	mark(s, "bob", "add", "starred", a).OK()
	same(t, section(s, "bob", "starred_messages", `["starred_messages"]`), fmt.Sprintf(`[%d,%d]`, a, b))
	same(t, section(s, "alice", "starred_messages", `["starred_messages"]`), `[]`)
	s.As("bob").Do(fmt.Sprintf("POST /users/me/muted_users/%d", s.UserID("olga"))).OK()
	same(t, section(s, "bob", "muted_users", `["muted_users"]`),
		fmt.Sprintf(`[{"id":%d,"timestamp":%d}]`, s.UserID("olga"), s.Clock.Now().Unix()))
}
