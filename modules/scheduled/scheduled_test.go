package scheduled_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/scheduled"
)

func TestModule(t *testing.T) {
	kittest.Check(t, scheduled.Module, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, scheduled.Module)
}

// in returns a delivery time as a parameter.
func in(s *kittest.Server, d time.Duration) string { return fmt.Sprint(s.Clock.Now().Add(d).Unix()) }

func toGeneral(s *kittest.Server, who, content string, after time.Duration, more ...string) int64 {
	s.T.Helper()
	params := append([]string{
		"type", "channel", "to", fmt.Sprint(s.ChannelID("general")), "topic", "lunch", "content", content,
		"scheduled_delivery_timestamp", in(s, after),
	}, more...)
	return s.As(who).Do("POST /scheduled_messages", params...).OK().Int("scheduled_message_id")
}

func deliver(s *kittest.Server) {
	s.T.Helper()
	s.RunJob("scheduled.deliver")
}

// texts returns the newest messages that a user finds with a narrow, oldest first.
func texts(s *kittest.Server, who, narrow string) string {
	s.T.Helper()
	var got struct {
		Messages []struct {
			Content, Subject, Client string
			Sender                   int64 `json:"sender_id"`
			Flags                    []string
		} `json:"messages"`
	}
	s.As(who).Do("GET /messages", "anchor", "newest", "num_before", "100", "num_after", "0", "narrow", narrow,
		"apply_markdown", "false",
		"allow_empty_topic_name", "true").OK().JSON(&got)
	var all []string
	for _, m := range got.Messages {
		all = append(all, m.Content)
	}
	return strings.Join(all, "|")
}

const general = `[["channel","general"]]`

func TestScheduled(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		bob, channel := s.As("bob"), s.ChannelID("general")
		queue := bob.Do("POST /register", "event_types", `["scheduled_messages","message"]`, "fetch_event_types",
			`["scheduled_messages"]`).OK()
		if got := kittest.JSON(queue.Get("scheduled_messages")); got != "[]" {
			t.Errorf("/register gives %s", got)
		}
		last := "-1"
		expectEvents := func(want string) {
			t.Helper()
			var got struct {
				Events []map[string]any `json:"events"`
			}
			a := bob.Do("GET /events", "queue_id", queue.String("queue_id"), "last_event_id", last, "dont_block", "true").OK()
			a.JSON(&got)
			for i, e := range got.Events {
				last = kittest.JSON(a.Get(fmt.Sprintf("events.%d.id", i)))
				delete(e, "id")
				if m, ok := e["message"].(map[string]any); ok {
					e["message"] = fmt.Sprint(m["content"], " ", m["client"], " ", e["flags"])
					delete(e, "flags")
				}
			}
			if all := kittest.JSON(got.Events); all != "["+want+"]" {
				t.Errorf("received %s\nwant  [%s]", all, want)
			}
		}
		list := func(want string) {
			t.Helper()
			bob.Do("GET /scheduled_messages").Is(200, `{"result":"success","msg":"","scheduled_messages":[`+want+`]}`)
		}
		list("")
		s.Skip()
		at := s.Clock.Now().Add(5 * time.Minute).Unix()
		first := toGeneral(s, "bob", "*one*", 5*time.Minute, "read_by_sender", "true")
		s.Events(fmt.Sprintf(`scheduled_messages/add user:bob {"id":%d}`, first))
		one := fmt.Sprintf(`{"content":"*one*","failed":false,`+
			`"rendered_content":"\u003cp\u003e\u003cem\u003eone\u003c/em\u003e\u003c/p\u003e",`+
			`"scheduled_delivery_timestamp":%d,"scheduled_message_id":%d,"to":%d,"topic":"lunch","type":"stream"}`, at, first,
			channel)
		list(one)
		expectEvents(`{"op":"add","scheduled_messages":[` + one + `],"type":"scheduled_messages"}`)

		// A direct message lists the other participants; messages are sorted by time.
		second := bob.Do("POST /scheduled_messages", "type", "direct", "to",
			fmt.Sprintf("[%d,%d]", s.UserID("bob"), s.UserID("alice")),
			"content", "hi", "scheduled_delivery_timestamp", in(s, time.Minute)).OK().Int("scheduled_message_id")
		hi := fmt.Sprintf(`{"content":"hi","failed":false,"rendered_content":"\u003cp\u003ehi\u003c/p\u003e",`+
			`"scheduled_delivery_timestamp":%d,"scheduled_message_id":%d,"to":[%d],"type":"private"}`,
			s.Clock.Now().Add(time.Minute).Unix(), second, s.UserID("alice"))
		list(hi + "," + one)
		expectEvents(`{"op":"add","scheduled_messages":[` + hi + `],"type":"scheduled_messages"}`)

		// Other users can neither see nor change it.
		s.Skip()
		path := fmt.Sprintf("/scheduled_messages/%d", second)
		s.As("olga").Do("GET /scheduled_messages").Is(200, `{"result":"success","msg":"","scheduled_messages":[]}`)
		s.As("olga").Do("PATCH "+path, "content", "x").Error(404, "BAD_REQUEST", "Scheduled message does not exist")
		s.As("olga").Do("DELETE "+path).Error(404, "BAD_REQUEST", "Scheduled message does not exist")
		s.NoEvents()

		// It is moved to a channel and to a later time.
		bob.Do("PATCH "+path, "type", "stream", "to", fmt.Sprint(channel), "subject", " tea ", "scheduled_delivery_timestamp",
			fmt.Sprint(at)).
			Is(200, `{"result":"success","msg":""}`)
		moved := fmt.Sprintf(`{"content":"hi","failed":false,"rendered_content":"\u003cp\u003ehi\u003c/p\u003e",`+
			`"scheduled_delivery_timestamp":%d,"scheduled_message_id":%d,"to":%d,"topic":"tea","type":"stream"}`, at, second,
			channel)
		list(one + "," + moved)
		expectEvents(`{"op":"update","scheduled_message":` + moved + `,"type":"scheduled_messages"}`)

		deliver(s)
		s.Clock.Advance(5*time.Minute - time.Second)
		deliver(s)
		if got := texts(s, "bob", general); got != "" {
			t.Errorf("sent too early: %s", got)
		}
		s.Clock.Advance(time.Second)
		s.Skip()
		deliver(s)
		deliver(s)
		s.Events(fmt.Sprintf(`scheduled_messages/remove user:bob {"scheduled_message_id":%d}`, first),
			fmt.Sprintf(`scheduled_messages/remove user:bob {"scheduled_message_id":%d}`, second),
			"message subscribers:general", "message subscribers:general")
		list("")
		if got := texts(s, "alice", general); got != "*one*|hi" {
			t.Errorf("sent: %s", got)
		}
		expectEvents(fmt.Sprintf(`{"op":"remove","scheduled_message_id":%d,"type":"scheduled_messages"},`, first) +
			fmt.Sprintf(`{"op":"remove","scheduled_message_id":%d,"type":"scheduled_messages"},`, second) +
			`{"message":"*one* Go-http-client [read]","type":"message"},` +
			`{"message":"hi Go-http-client []","type":"message"}`)
		for _, call := range []string{"PATCH ", "DELETE "} {
			bob.Do(call+path, "content", "late").Error(400, "BAD_REQUEST", "Scheduled message was already sent")
		}
		s.Clock.Advance(25 * time.Hour)
		s.RunJob("scheduled.forget_sent")
		bob.Do("DELETE "+path).Error(404, "BAD_REQUEST", "Scheduled message does not exist")

		// A deleted message is not sent.
		third := toGeneral(s, "bob", "no", time.Minute)
		s.Skip()
		bob.Do(fmt.Sprintf("DELETE /scheduled_messages/%d", third)).Is(200, `{"result":"success","msg":""}`)
		s.Events(fmt.Sprintf(`scheduled_messages/remove user:bob {"scheduled_message_id":%d}`, third))
		s.Clock.Advance(time.Minute)
		deliver(s)
		s.NoEvents()
	})
}

func TestScheduledRefused(t *testing.T) {
	s := start(t, "")
	bob, channel := s.As("bob"), fmt.Sprint(s.ChannelID("general"))
	id := toGeneral(s, "bob", "x", time.Hour)
	direct := bob.Do("POST /scheduled_messages", "type", "private", "to", fmt.Sprintf("[%d]", s.UserID("bob")), "content",
		"me",
		"scheduled_delivery_timestamp", in(s, time.Hour), "topic", "ignored").OK().Int("scheduled_message_id")
	s.Skip()
	soon := in(s, time.Minute)
	for _, c := range []struct {
		params    []string
		code, msg string
	}{
		{[]string{"type", "mail", "to", channel, "topic", "t", "content", "x", "scheduled_delivery_timestamp", soon},
			"BAD_REQUEST", "Invalid type"},
		{[]string{"to", channel, "topic", "t", "content", "x", "scheduled_delivery_timestamp", soon},
			"REQUEST_VARIABLE_MISSING", "Missing 'type'"},
		{[]string{"type", "stream", "topic", "t", "content", "x", "scheduled_delivery_timestamp", soon},
			"REQUEST_VARIABLE_MISSING", "Missing 'to'"},
		{[]string{"type", "stream", "to", channel, "content", "x", "scheduled_delivery_timestamp", soon}, "BAD_REQUEST",
			"Missing topic"},
		{[]string{"type", "stream", "to", channel, "topic", "t", "scheduled_delivery_timestamp", soon},
			"REQUEST_VARIABLE_MISSING", "Missing 'content'"},
		{[]string{"type", "stream", "to", channel, "topic", "t", "content", " ", "scheduled_delivery_timestamp", soon},
			"BAD_REQUEST", "must not be empty"},
		{[]string{"type", "stream", "to", channel, "topic", "t", "content", "x"}, "REQUEST_VARIABLE_MISSING",
			"Missing 'scheduled_delivery_timestamp'"},
		{[]string{"type", "stream", "to", channel, "topic", "t", "content", "x", "scheduled_delivery_timestamp", in(s, 0)},
			"BAD_REQUEST",
			"Scheduled delivery time must be in the future."},
		{[]string{"type", "stream", "to", channel, "topic", "t", "content", "x", "scheduled_delivery_timestamp",
			"-9223372036854775808"}, "BAD_REQUEST", "in the future"},
		{[]string{"type", "stream", "to", channel, "topic", "t", "content", "x", "scheduled_delivery_timestamp",
			"9223372036854775807"}, "BAD_REQUEST", "too far"},
		{[]string{"type", "stream", "to", channel, "topic", "t", "content", "x", "scheduled_delivery_timestamp", "soon"},
			"BAD_REQUEST", ""},
		{[]string{"type", "stream", "to", "general", "topic", "t", "content", "x", "scheduled_delivery_timestamp", soon},
			"BAD_REQUEST", "Invalid data type for channel ID"},
		{[]string{"type", "stream", "to", `"general"`, "topic", "t", "content", "x", "scheduled_delivery_timestamp", soon},
			"BAD_REQUEST", "Invalid data type for channel ID"},
		{[]string{"type", "stream", "to", "[1,2]", "topic", "t", "content", "x", "scheduled_delivery_timestamp", soon},
			"BAD_REQUEST", "Expected exactly one channel"},
		{[]string{"type", "stream", "to", "987654", "topic", "t", "content", "x", "scheduled_delivery_timestamp", soon},
			"STREAM_DOES_NOT_EXIST", "'987654' does not exist"},
		{[]string{"type", "stream", "to", fmt.Sprint(s.ChannelID("secret")), "topic", "t", "content", "x",
			"scheduled_delivery_timestamp", soon},
			"STREAM_DOES_NOT_EXIST", fmt.Sprintf("Channel with ID '%d' does not exist", s.ChannelID("secret"))},
		{[]string{"type", "direct", "to", "[]", "content", "x", "scheduled_delivery_timestamp", soon}, "BAD_REQUEST",
			"Message must have recipients"},
		{[]string{"type", "direct", "to", "5", "content", "x", "scheduled_delivery_timestamp", soon}, "BAD_REQUEST",
			"Invalid data type for recipients"},
		{[]string{"type", "direct", "to", `["alice@example.com"]`, "content", "x", "scheduled_delivery_timestamp", soon},
			"BAD_REQUEST", "Invalid data type for recipients"},
		{[]string{"type", "direct", "to", "[987654]", "content", "x", "scheduled_delivery_timestamp", soon}, "BAD_REQUEST",
			"Invalid user ID 987654"},
	} {
		bob.Do("POST /scheduled_messages", c.params...).Error(400, c.code, c.msg)
	}
	a := bob.Do("POST /scheduled_messages", "type", "stream", "to", "987654", "topic", "t", "content", "x",
		"scheduled_delivery_timestamp", soon)
	if a.Int("stream_id") != 987654 {
		t.Errorf("%s", kittest.JSON(a.Get("stream_id")))
	}
	for _, c := range []struct {
		id     int64
		params []string
		msg    string
	}{
		{id, nil, "Nothing to change"},
		{id, []string{"type", "direct"}, "Recipient required when updating type of scheduled message."},
		{direct, []string{"type", "channel", "to", channel},
			"Topic required when updating scheduled message type to channel."},
		{id, []string{"to", fmt.Sprintf("[%d,%d]", s.UserID("alice"), s.UserID("bob"))}, "Expected exactly one channel"},
		{direct, []string{"to", channel}, "Invalid data type for recipients"},
		{id, []string{"scheduled_delivery_timestamp", in(s, -time.Second)}, "Scheduled delivery time must be in the future."},
		{id, []string{"content", ""}, "Message must not be empty"},
		{id, []string{"topic", "a\nb"}, "Invalid character in topic"},
	} {
		bob.Do(fmt.Sprintf("PATCH /scheduled_messages/%d", c.id), c.params...).Error(400, "BAD_REQUEST", c.msg)
	}
	s.NoEvents()
	var got struct {
		All []struct {
			ID int64 `json:"scheduled_message_id"`
			To any
		} `json:"scheduled_messages"`
	}
	bob.Do("GET /scheduled_messages").JSON(&got)
	if len(got.All) != 2 || kittest.JSON(got.All[1].To) != fmt.Sprintf("[%d]", s.UserID("bob")) {
		t.Errorf("%s", kittest.JSON(got))
	}
	bob.Do(fmt.Sprintf("PATCH /scheduled_messages/%d", direct), "topic", "x").OK() // ignored
}
