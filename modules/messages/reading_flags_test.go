package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/mutes"
	"github.com/stoachat/stoa/modules/realm"
)

// startWithQueues starts a server with real subscriptions and queues.
func startWithQueues(t *testing.T) *kittest.Server {
	t.Helper()
	return kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, mutes.Module,
		events.Module)
}

// flags returns a user's flags for a message, sorted.
func flags(s *kittest.Server, as string, id int64) string {
	s.T.Helper()
	var got struct {
		Message struct {
			Flags []string `json:"flags"`
		} `json:"message"`
	}
	s.As(as).Do(fmt.Sprintf("GET /messages/%d", id)).OK().JSON(&got)
	slices.Sort(got.Message.Flags)
	return strings.Join(got.Message.Flags, " ")
}

// mark adds or removes a flag.
func mark(s *kittest.Server, as, op, flag string, ids ...int64) *kittest.Response {
	s.T.Helper()
	if ids == nil {
		ids = []int64{}
	}
	return s.As(as).Do("POST /messages/flags", "messages", kittest.JSON(ids), "op", op, "flag", flag)
}

func TestFlagsBadInput(t *testing.T) {
	s := startWithQueues(t)
	id := post(s, "alice", "general", "x", "hi")
	s.Skip()
	list := kittest.JSON([]int64{id})
	for _, c := range []struct {
		name     string
		params   []string
		code     string
		contains string
	}{
		{"unknown flag", []string{"messages", list, "op", "add", "flag", "shiny"}, "BAD_REQUEST", "Invalid flag: 'shiny'"},
		{"internal flag", []string{"messages", list, "op", "add", "flag", "is_private"}, "BAD_REQUEST",
			"Invalid flag: 'is_private'"},
		{"flag of the server", []string{"messages", list, "op", "add", "flag", "mentioned"}, "BAD_REQUEST",
			"Flag not editable: 'mentioned'"},
		{"derived flag", []string{"messages", list, "op", "remove", "flag", "historical"}, "BAD_REQUEST",
			"Flag not editable: 'historical'"},
		{"unknown op", []string{"messages", list, "op", "toggle", "flag", "read"}, "BAD_REQUEST",
			"Invalid message flag operation: 'toggle'"},
		{"no messages", []string{"op", "add", "flag", "read"}, "REQUEST_VARIABLE_MISSING", "messages"},
		{"no op", []string{"messages", list, "flag", "read"}, "REQUEST_VARIABLE_MISSING", "op"},
		{"no flag", []string{"messages", list, "op", "add"}, "REQUEST_VARIABLE_MISSING", "flag"},
		{"not a list", []string{"messages", "7", "op", "add", "flag", "read"}, "BAD_REQUEST", "messages"},
		{"not ids", []string{"messages", `["a"]`, "op", "add", "flag", "read"}, "BAD_REQUEST", "messages"},
	} {
		s.In(t).As("bob").Do("POST /messages/flags", c.params...).Error(400, c.code, c.contains)
	}
	s.NoEvents()
	if got := flags(s, "bob", id); got != "" {
		t.Errorf("flags changed to %q", got)
	}
}

func TestReadAndUnread(t *testing.T) {
	s := startWithQueues(t)
	general := s.ChannelID("general")
	in, direct := post(s, "alice", "general", "lunch", "hi"), sendDirect(s, "alice", "psst", "bob")
	s.Skip()
	if got := flags(s, "bob", in) + flags(s, "bob", direct); got != "" {
		t.Errorf("new messages have flags %q", got)
	}
	mark(s, "bob", "add", "read", direct, in, in, 1<<50).Is(200, fmt.Sprintf(
		`{"result":"success","msg":"","messages":[%d,%d,%d,%d],"ignored_because_not_subscribed_channels":[]}`, direct, in, in,
		int64(1)<<50))
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d,%d],`+
		`"all":false}`, in, direct))
	if got := flags(s, "bob", in) + " " + flags(s, "bob", direct); got != "read read" {
		t.Errorf("after reading: %q", got)
	}
	// The event contains only messages that changed.
	mark(s, "bob", "add", "read", in, direct).OK()
	s.NoEvents()

	mark(s, "bob", "remove", "read", in, direct).OK()
	s.Events(fmt.Sprintf(`update_message_flags/remove user:bob {"operation":"remove","flag":"read","messages":[%d,%d],"all":false,"message_details":{
		"%d":{"type":"stream","stream_id":%d,"topic":"lunch","unmuted_stream_msg":true},"%d":{"type":"private","user_ids":[%d]}}}`,
		in, direct, in, general, direct, s.UserID("alice")))
	if got := flags(s, "bob", in) + flags(s, "bob", direct); got != "" {
		t.Errorf("after marking unread: %q", got)
	}
	mark(s, "bob", "remove", "read").OK()
	s.NoEvents()
	if got := flags(s, "olga", in); got != "" {
		t.Errorf("olga's flags are %q", got)
	}
}

func TestUnreadDetails(t *testing.T) {
	s := startWithQueues(t)
	self := sendDirect(s, "alice", "note", "alice")
	group := sendDirect(s, "bob", "hi", "alice", "olga")
	named := post(s, "bob", "general", "", "hi @**Alice**")
	all := post(s, "bob", "general", "a", "hi @**all**")
	mark(s, "alice", "add", "read", self, group, named, all).OK()
	s.Skip()
	mark(s, "alice", "remove", "read", self, group, named, all).OK()
	general := s.ChannelID("general")
	s.Events(fmt.Sprintf(`update_message_flags/remove user:alice {"operation":"remove","flag":"read","messages":[%d,%d,%d,%d],"all":false,"message_details":{
		"%d":{"type":"private","user_ids":[]},"%d":{"type":"private","user_ids":[%d,%d]},
		"%d":{"type":"stream","mentioned":true,"stream_id":%d,"topic":"","unmuted_stream_msg":true},"%d":{"type":"stream","mentioned":true,"wildcard_mentioned":true,"stream_id":%d,"topic":"a","unmuted_stream_msg":true}}}`,
		self, group, named, all, self, group, min(s.UserID("bob"), s.UserID("olga")), max(s.UserID("bob"), s.UserID("olga")),
		named, general, all, general))
}

// Clients with the capability learn which messages mention the user only with others.
func TestUnreadWildcardMentions(t *testing.T) {
	s := startWithQueues(t)
	named, all := post(s, "bob", "general", "a", "hi @**Alice**"), post(s, "bob", "general", "a", "hi @**all**")
	for capabilities, want := range map[string]string{
		`{"empty_topic_name":true,"wildcard_mentions":true}`: fmt.Sprintf("[%d] true", all),
		`{"empty_topic_name":true}`:                          "<nil> false",
	} {
		s := s.In(t)
		q := s.As("alice").Register("event_types", unreadTypes, "fetch_event_types", unreadTypes,
			"client_capabilities", capabilities)
		mark(s, "alice", "add", "read", named, all).OK()
		mark(s, "alice", "remove", "read", named, all).OK()
		unread := q.Start.Get("unread_msgs").(map[string]any)
		details := q.Take().Get("events.1.message_details").(map[string]any)
		_, known := details[fmt.Sprint(all)].(map[string]any)["wildcard_mentioned"]
		if got := fmt.Sprint(unread["wildcard_mentions"], known); got != want {
			t.Errorf("%s: got %s, want %s", capabilities, got, want)
		}
	}
}

// Clients that do not support the empty topic receive its display name.
func TestUnreadDetailsEmptyTopic(t *testing.T) {
	s := startWithQueues(t)
	id := post(s, "bob", "general", "", "hi")
	mark(s, "alice", "add", "read", id).OK()
	for capabilities, want := range map[string]string{
		`{"empty_topic_name":true,"notification_settings_null":true}`: "",
		`{"notification_settings_null":true}`:                         "general chat",
	} {
		s := s.In(t)
		q := s.As("alice").Register("event_types", `["update_message_flags"]`, "client_capabilities", capabilities)
		mark(s, "alice", "remove", "read", id).OK()
		got := q.Take()
		if topic := got.String(fmt.Sprintf("events.0.message_details.%d.topic", id)); topic != want {
			t.Errorf("%s: topic %q, want %q", capabilities, topic, want)
		}
		mark(s, "alice", "add", "read", id).OK()
	}
}

func TestStars(t *testing.T) {
	s := startWithQueues(t)
	id := post(s, "alice", "general", "x", "hi")
	s.Skip()
	mark(s, "bob", "add", "starred", id).Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","messages":[%d],"ignored_because_not_subscribed_channels":[]}`, id))
	mark(s, "bob", "add", "collapsed", id).OK()
	mark(s, "bob", "add", "starred", id).OK()
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"starred","messages":[%d],`+
		`"all":false}`, id),
		fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"collapsed","messages":[%d],"all":false}`,
			id))
	if got := flags(s, "bob", id); got != "collapsed starred" {
		t.Errorf("flags %q", got)
	}
	mark(s, "bob", "remove", "starred", id).OK()
	s.Events(fmt.Sprintf(`update_message_flags/remove user:bob {"operation":"remove","flag":"starred","messages":[%d],`+
		`"all":false}`, id))
	if got := flags(s, "bob", id); got != "collapsed" {
		t.Errorf("flags %q", got)
	}
	// mona is not subscribed. The flag gives her the message, as read and historical.
	if got := flags(s, "mona", id); got != "historical read" {
		t.Errorf("flags without a subscription %q", got)
	}
	mark(s, "mona", "add", "starred", id).OK()
	if got := flags(s, "mona", id); got != "historical read starred" {
		t.Errorf("flags without a subscription %q", got)
	}
	mark(s, "mona", "remove", "starred", id).OK()
	if got := flags(s, "mona", id); got != "historical read" {
		t.Errorf("flags without a subscription %q", got)
	}
}

// Invisible messages cause the same error as missing ones, and a single one fails the whole request.
func TestFlagsOfInvisibleMessages(t *testing.T) {
	s := startWithQueues(t)
	hidden, open := post(s, "alice", "secret", "x", "hi"), post(s, "alice", "general", "x", "hi")
	direct := sendDirect(s, "alice", "psst", "olga")
	s.Skip()
	for _, bad := range []int64{hidden, direct, 1 << 40, 0, -7} {
		for _, c := range [][2]string{{"add", "starred"}, {"add", "collapsed"}, {"remove", "read"}} {
			mark(s.In(t), "bob", c[0], c[1], open, bad).Error(400, "BAD_REQUEST", "Invalid message(s)")
		}
	}
	s.NoEvents()
	if got := flags(s, "bob", open); got != "" {
		t.Errorf("flags changed to %q", got)
	}
	// These have no effect on messages that the user has not received, whatever the ID.
	for _, bad := range []int64{hidden, direct, 1 << 40} {
		mark(s.In(t), "bob", "add", "read", bad).OK()
		mark(s.In(t), "bob", "remove", "starred", bad).OK()
	}
	s.NoEvents()
}

func TestUnreadWithoutSubscription(t *testing.T) {
	s := startWithQueues(t)
	id := post(s, "alice", "general", "x", "hi")
	s.Skip()
	mark(s, "mona", "remove", "read", id).Is(200, fmt.Sprintf(
		`{"result":"success","msg":"","messages":[%d],"ignored_because_not_subscribed_channels":[%d]}`, id,
		s.ChannelID("general")))
	s.NoEvents()
	if got := flags(s, "mona", id); got != "historical read" {
		t.Errorf("flags %q", got)
	}
	// mona subscribed after the message was sent: it is unread through a flag.
	s.As("mona").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	s.Skip()
	mark(s, "mona", "remove", "read", id).OK()
	s.Events(fmt.Sprintf(`update_message_flags/remove user:mona {"operation":"remove","flag":"read","messages":[%d],`+
		`"all":false,"message_details":{"%d":{"type":"stream","stream_id":%d,"topic":"x","unmuted_stream_msg":true}}}`,
		id, id, s.ChannelID("general")))
	if got := flags(s, "mona", id); got != "historical" {
		t.Errorf("flags %q", got)
	}
	mark(s, "mona", "add", "read", id).OK()
	if got := flags(s, "mona", id); got != "historical read" {
		t.Errorf("flags %q", got)
	}
}

func TestMentionFlags(t *testing.T) {
	s := startWithQueues(t)
	named := post(s, "alice", "general", "x", "hi @**Bob**")
	all := post(s, "alice", "general", "x", "hi @**all**")
	topic := post(s, "bob", "general", "x", "hi @**topic**")
	for _, c := range []struct {
		who  string
		id   int64
		want string
	}{
		{"bob", named, "mentioned"}, {"olga", named, ""}, {"bob", all, "stream_wildcard_mentioned wildcard_mentioned"},
		{"mona", all, "historical read"}, {"alice", topic, "topic_wildcard_mentioned wildcard_mentioned"},
		{"olga", topic, ""},
	} {
		if got := flags(s, c.who, c.id); got != c.want {
			t.Errorf("%s, message %d: flags %q, want %q", c.who, c.id, got, c.want)
		}
	}
}

// A channel wildcard does not mention users who subscribe later, even if they mark the message as unread.
func TestMentionsOfLaterSubscribers(t *testing.T) {
	s := startWithQueues(t)
	all := post(s, "alice", "general", "x", "hi @**all**")
	s.As("mona").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	s.Skip()
	mark(s, "mona", "remove", "read", all).OK()
	s.Events(fmt.Sprintf(`update_message_flags/remove user:mona {"operation":"remove","flag":"read","messages":[%d],"all":false,"message_details":{
		"%d":{"type":"stream","stream_id":%d,"topic":"x","unmuted_stream_msg":true}}}`, all, all, s.ChannelID("general")))
	if got := flags(s, "mona", all); got != "historical" {
		t.Errorf("flags %q", got)
	}
	reg := s.As("mona").Do("POST /register", "fetch_event_types", `["message","update_message_flags"]`).OK()
	if got := kittest.JSON(reg.Get("unread_msgs.mentions")); got != "[]" || reg.Int("unread_msgs.count") != 1 {
		t.Errorf("mentions %s of %d unread messages", got, reg.Int("unread_msgs.count"))
	}
}

// In protected history, messages sent before the subscription are missing. Received messages remain readable while the
// user is subscribed; afterwards the user can only remove their own flags.
func TestFlagsInProtectedHistory(t *testing.T) {
	s := startWithQueues(t)
	secret := fmt.Sprint(s.ChannelID("secret"))
	s.As("olga").Do("PATCH /streams/"+secret, "history_public_to_subscribers", "false").OK()
	before := post(s, "alice", "secret", "x", "hi")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
		ids(s, "bob")).OK()
	after := post(s, "alice", "secret", "x", "hi")
	s.Skip()
	for _, c := range [][2]string{{"add", "starred"}, {"remove", "read"}} {
		mark(s.In(t), "bob", c[0], c[1], after, before).Error(400, "BAD_REQUEST", "Invalid message(s)")
	}
	s.NoEvents()
	mark(s, "bob", "add", "starred", after).OK()
	if got := flags(s, "bob", after); got != "starred" {
		t.Errorf("flags %q", got)
	}
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
	s.Skip()
	mark(s, "bob", "add", "collapsed", after).Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.NoEvents()
	mark(s, "bob", "remove", "read", after).Is(200, fmt.Sprintf(
		`{"result":"success","msg":"","messages":[%d],"ignored_because_not_subscribed_channels":[%s]}`, after, secret))
	mark(s, "bob", "remove", "starred", after).OK()
	s.Events(fmt.Sprintf(`update_message_flags/remove user:bob {"operation":"remove","flag":"starred","messages":[%d],`+
		`"all":false}`, after))
}

// TestFlagChangeThatChangesNothing checks that no route that changes flags sends an event, or logs anything, if all
// flags already are as requested.
func TestFlagChangeThatChangesNothing(t *testing.T) {
	s := startWithQueues(t)
	id := post(s, "alice", "general", "x", "hi")
	general := fmt.Sprint(s.ChannelID("general"))
	narrow := func(op, flag string) *kittest.Response {
		return s.As("bob").Do("POST /messages/flags/narrow", "anchor", "newest", "num_before", "10", "num_after", "0",
			"narrow", "[]", "op", op, "flag", flag).OK()
	}
	for _, done := range []bool{false, true} {
		s.Skip()
		for _, flag := range []string{"starred", "collapsed"} {
			mark(s, "bob", "remove", flag, id).OK() // it has none at first
			if !done {
				s.NoEvents()
			}
			mark(s, "bob", "add", flag, id).OK()
			s.Skip()
			mark(s, "bob", "add", flag, id).OK()
			narrow("add", flag)
			s.NoEvents()
		}
		mark(s, "bob", "remove", "read", id).OK()
		s.Skip()
		mark(s, "bob", "remove", "read", id).OK()
		narrow("remove", "read")
		s.NoEvents()
		if done {
			s.As("bob").Do("POST /mark_all_as_read").OK()
		} else {
			mark(s, "bob", "add", "read", id).OK()
		}
		s.Skip()
		mark(s, "bob", "add", "read", id).OK()
		narrow("add", "read")
		s.As("bob").Do("POST /mark_topic_as_read", "stream_id", general, "topic_name", "x").OK()
		s.As("bob").Do("POST /mark_stream_as_read", "stream_id", general).OK()
		s.As("bob").Do("POST /mark_all_as_read").Is(200, `{"result":"success","msg":"","complete":true}`)
		s.NoEvents()
	}
}
