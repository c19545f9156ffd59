package typing_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/typing"
)

func TestModule(t *testing.T) {
	kittest.Check(t, typing.Module, realm.Module, accounts.Module)
}

func start(t *testing.T) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {password_memory_kib: 8, password_passes: " +
		"1}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, typing.Module)
}

func listen(s *kittest.Server, name, capabilities string) *kittest.Queue {
	s.T.Helper()
	return s.As(name).Register("event_types", `["typing"]`, "fetch_event_types", "[]", "client_capabilities", capabilities)
}

const modern = `{"stream_typing_notifications":true,"empty_topic_name":true}`

func TestDirect(t *testing.T) {
	s := start(t)
	alice, bob := s.UserID("alice"), s.UserID("bob")
	queues := []*kittest.Queue{listen(s, "alice", "{}"), listen(s, "bob", "{}")}
	carol := listen(s, "mona", modern)
	people := fmt.Sprintf(`"recipients":[{"email":"alice@example.com","user_id":%d},{"email":"bob@example.com",`+
		`"user_id":%d}],`+
		`"sender":{"email":"alice@example.com","user_id":%[1]d},"type":"typing"`, alice, bob)
	for _, c := range [][]string{
		{"op", "start", "to", fmt.Sprintf("[%d]", bob)},
		{"op", "stop", "to", fmt.Sprint(bob), "type", "direct"},
		{"op", "start", "to", fmt.Sprintf("[%d,%d,%[1]d]", bob, alice), "stream_id", "99", "topic", "x"},
	} {
		s.As("alice").Do("POST /typing", c...).Is(200, `{"result":"success","msg":""}`)
		for _, l := range queues {
			l.Is(fmt.Sprintf(`{"message_type":"direct","op":"%s",%s}`, c[1], people))
		}
	}
	carol.Is()
	// Users who have disabled typing notifications receive none; clients expire earlier ones.
	s.As("bob").Do("PATCH /settings", "receives_typing_notifications", "false").OK()
	s.As("alice").Do("POST /typing", "op", "start", "to", fmt.Sprintf("[%d]", bob)).OK()
	queues[1].Is()
	s.Clock.Advance(46 * time.Second)
	queues[0].Is()
	s.As("bob").Do("POST /typing", "op", "start", "to", fmt.Sprintf("[%d]", bob)).OK() // to himself
	s.As("bob").Do("PATCH /settings", "send_private_typing_notifications", "false").OK()
	s.As("bob").Do("POST /typing", "op", "start", "to", fmt.Sprintf("[%d]", alice)).
		Error(400, "BAD_REQUEST", "User has disabled typing notifications for direct messages")
}

func TestChannel(t *testing.T) {
	s := start(t)
	general := fmt.Sprint(s.ChannelID("general"))
	alice, bob, old := listen(s, "alice", modern), listen(s, "bob", `{"stream_typing_notifications":true}`),
		listen(s, "bob", "{}")
	mona := listen(s, "mona", modern) // not subscribed
	event := func(op, topic string) string {
		return fmt.Sprintf(`{"message_type":"stream","op":"%s","sender":{"email":"bob@example.com","user_id":%d},`+
			`"stream_id":%s,"topic":"%s","type":"typing"}`,
			op, s.UserID("bob"), general, topic)
	}
	s.As("bob").Do("POST /typing", "type", "stream", "op", "start", "stream_id", general, "topic", " lunch ").Is(200,
		`{"result":"success","msg":""}`)
	s.As("bob").Do("POST /typing", "type", "channel", "op", "stop", "stream_id", general, "topic", "(no topic)", "to",
		"[1]").OK()
	alice.Is(event("start", "lunch"), event("stop", ""))
	bob.Is(event("start", "lunch"), event("stop", "general chat"))
	old.Is()
	mona.Is()
	s.As("bob").Do("PATCH /settings", "send_stream_typing_notifications", "false").OK()
	s.As("bob").Do("POST /typing", "type", "stream", "op", "start", "stream_id", general, "topic", "lunch").
		Error(400, "BAD_REQUEST", "User has disabled typing notifications for channel messages")
	s.As("olga").Do("PATCH /streams/"+general, "can_send_message_group",
		fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, s.UserID("olga"))).OK()
	s.As("alice").Do("POST /typing", "type", "stream", "op", "start", "stream_id", general, "topic", "lunch").
		Error(400, "BAD_REQUEST", "You do not have permission to post in this channel.")
	alice.Is()
}

// Parameters for the other type of conversation are ignored, whatever their value.
func TestIgnored(t *testing.T) {
	s := start(t)
	bob, general := fmt.Sprint(s.UserID("bob")), fmt.Sprint(s.ChannelID("general"))
	for _, wrong := range []string{"x", "", "null", "{}", `["x"]`, "[", "-1", "1e99", "99999999999999999999"} {
		s.Skip()
		s.In(t).As("alice").Do("POST /typing", "op", "start", "to", "["+bob+"]", "stream_id", wrong, "topic",
			wrong+"\n").Is(200, `{"result":"success","msg":""}`)
		s.In(t).As("alice").Do("POST /typing", "op", "start", "type", "stream", "stream_id", general, "topic", "x", "to",
			wrong).Is(200, `{"result":"success","msg":""}`)
		if got := len(s.Log()); got != 2 {
			t.Errorf("%q: %d entries, want 2", wrong, got)
		}
	}
}

// crowd adds n users and returns their IDs.
func crowd(s *kittest.Server, n int) []string {
	s.T.Helper()
	ids, changes := make([]string, n), make([]directory.Change, n)
	for i := range ids {
		u := user.User{ID: user.ID(1000 + i), Role: user.Guest, Active: true,
			DeliveryEmail: fmt.Sprintf("u%d@example.com", i), FullName: fmt.Sprint("U ", i), Settings: user.Defaults()}
		ids[i], changes[i] = fmt.Sprint(u.ID), directory.OfUser(nil, &u)
	}
	s.Do(func(ctx context.Context) error {
		if _, err := s.Ports.Directory.View(ctx, s.Realm); err != nil {
			return err
		}
		e := event.Event{Realm: s.Realm, Type: "test", To: event.None(), Payload: struct{}{}}
		return s.Ports.Log.Append(ctx, e.Changing(changes...))
	})
	return ids
}

// In very large conversations no event is sent, but requests are still validated.
func TestManyPeople(t *testing.T) {
	s := start(t)
	ids := crowd(s, 100)
	say := func(to ...string) *kittest.Response {
		return s.As("alice").Do("POST /typing", "op", "start", "to", "["+strings.Join(to, ",")+"]")
	}
	s.Skip()
	say(ids...).Is(200, `{"result":"success","msg":""}`) // 101 with alice
	s.NoEvents()
	say(append(ids, "99999")...).Error(400, "BAD_REQUEST", "Invalid user ID 99999")
	s.NoEvents()
	hundred := slices.Concat(ids[1:], []string{fmt.Sprint(s.UserID("alice")), ids[1]})
	say(hundred...).OK()
	all := s.Log()
	if len(all) != 1 || len(all[0].To.Users) != 100 {
		t.Errorf("a hundred users were notified by %v", all)
	}
}

// A restricted guest receives no typing notifications of users that the guest cannot see.
func TestRestrictedGuest(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	guest, general := listen(s, "guest", modern), fmt.Sprint(s.ChannelID("general"))
	s.As("mona").Do("POST /typing", "op", "start", "to", fmt.Sprintf("[%d]", s.UserID("guest"))).OK()
	s.As("mona").Do("POST /typing", "op", "start", "type", "stream", "stream_id", general, "topic", "x").OK()
	s.As("bob").Do("POST /typing", "op", "start", "to", fmt.Sprintf("[%d,%d]", s.UserID("guest"), s.UserID("mona"))).OK()
	guest.Is()
	s.As("guest").Do("POST /typing", "op", "start", "to", fmt.Sprintf("[%d]", s.UserID("mona"))).
		Error(400, "BAD_REQUEST", fmt.Sprintf("Invalid user ID %d", s.UserID("mona")))
	s.As("bob").Do("POST /typing", "op", "stop", "type", "stream", "stream_id", general, "topic", "x").OK()
	guest.Is(fmt.Sprintf(`{"message_type":"stream","op":"stop","sender":{"email":"bob@example.com","user_id":%d},`+
		`"stream_id":%s,"topic":"x","type":"typing"}`,
		s.UserID("bob"), general))
}

func TestRefused(t *testing.T) {
	s := start(t)
	general, secret := fmt.Sprint(s.ChannelID("general")), fmt.Sprint(s.ChannelID("secret"))
	for _, c := range []struct {
		params    []string
		code, msg string
	}{
		{nil, "REQUEST_VARIABLE_MISSING", "Missing 'op' argument"},
		{[]string{"op", "go", "to", "[1]"}, "BAD_REQUEST", "Invalid op"},
		{[]string{"op", "start", "type", "private", "to", "[1]"}, "BAD_REQUEST", "Invalid type"},
		{[]string{"op", "start"}, "REQUEST_VARIABLE_MISSING", "Missing 'to' argument"},
		{[]string{"op", "start", "to", "[]"}, "BAD_REQUEST", "Empty 'to' list"},
		{[]string{"op", "start", "to", "[99999]"}, "BAD_REQUEST", "Invalid user ID 99999"},
		{[]string{"op", "start", "to", `["x"]`}, "BAD_REQUEST", "to is not an integer"},
		{[]string{"op", "start", "to", "bob@example.com"}, "BAD_REQUEST", "is not valid JSON"},
		{[]string{"op", "start", "to", "{}"}, "BAD_REQUEST", "to is not an integer"},
		{[]string{"op", "start", "to", "null"}, "REQUEST_VARIABLE_MISSING", "Missing 'to' argument"},
		{[]string{"op", "start", "to", "[1" + strings.Repeat(",1", 250) + "]"}, "BAD_REQUEST",
			"Too many recipients (maximum 250)"},
		{[]string{"op", "start", "to", "[1" + strings.Repeat(" ", 8000) + "]"}, "BAD_REQUEST",
			"Too many recipients (maximum 250)"},
		{[]string{"op", "start", "type", "stream", "topic", "x"}, "BAD_REQUEST", "Missing stream_id"},
		{[]string{"op", "start", "type", "stream", "stream_id", "null", "topic", "x"}, "BAD_REQUEST", "Missing stream_id"},
		{[]string{"op", "start", "type", "stream", "stream_id", `"5"`, "topic", "x"}, "BAD_REQUEST",
			"stream_id is not an integer"},
		{[]string{"op", "start", "type", "stream", "stream_id", "general", "topic", "x"}, "BAD_REQUEST",
			"stream_id is not an integer"},
		{[]string{"op", "start", "type", "stream", "stream_id", general}, "BAD_REQUEST", "Missing topic"},
		{[]string{"op", "start", "type", "stream", "stream_id", "99999", "topic", "x"}, "BAD_REQUEST", "Invalid channel ID"},
		{[]string{"op", "start", "type", "stream", "stream_id", secret, "topic", "x"}, "BAD_REQUEST", "Invalid channel ID"},
		{[]string{"op", "start", "type", "stream", "stream_id", general, "topic", "a\nb"}, "BAD_REQUEST",
			"Invalid character in topic, at position 2!"},
	} {
		s.Skip()
		s.In(t).As("bob").Do("POST /typing", c.params...).Error(400, c.code, c.msg)
		s.NoEvents()
	}
	s.Anonymous().Do("POST /typing", "op", "start", "to", "[1]").Error(401, "UNAUTHORIZED", "")
}
