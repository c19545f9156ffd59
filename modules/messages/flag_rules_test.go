package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// openFlagsQueue opens a queue for flag changes.
func openFlagsQueue(s *kittest.Server, as string) *queue {
	s.T.Helper()
	return &queue{s.As(as).Register("event_types", `["update_message_flags"]`, "fetch_event_types", "[]",
		"client_capabilities", modern), s}
}

// Every flag change, from each state and for each relation to the message: the answer, and the events of the user's own
// clients. Other users receive no event.
func TestFlagChanges(t *testing.T) {
	s := startFull(t)
	general := int64(s.ChannelID("general"))
	side := makeChannel(s, "side", []string{"olga", "alice"})
	mine, phone, others := openFlagsQueue(s, "bob"), openFlagsQueue(s, "bob"), openFlagsQueue(s, "olga")
	for _, c := range []struct {
		where    string // received: in general; history: in side, where bob is not subscribed; direct
		before   string // flags added first
		op, flag string
		changed  bool
		ignored  bool
		after    string
	}{
		{"received", "", "add", "read", true, false, "read"},
		{"received", "read", "add", "read", false, false, "read"},
		{"received", "read", "remove", "read", true, false, ""},
		{"received", "", "remove", "read", false, false, ""},
		{"received", "", "add", "starred", true, false, "starred"},
		{"received", "starred", "add", "starred", false, false, "starred"},
		{"received", "starred read", "remove", "starred", true, false, "read"},
		{"received", "read", "remove", "starred", false, false, "read"},
		{"received", "", "add", "collapsed", true, false, "collapsed"},
		{"received", "collapsed starred", "remove", "collapsed", true, false, "starred"},
		{"received", "", "remove", "collapsed", false, false, ""},
		{"direct", "", "add", "read", true, false, "read"},
		{"direct", "read starred", "remove", "read", true, false, "starred"},
		{"direct", "", "add", "starred", true, false, "starred"},
		{"history", "", "add", "read", false, false, "historical read"},
		{"history", "", "remove", "read", false, true, "historical read"},
		{"history", "", "add", "starred", true, false, "historical read starred"},
		{"history", "starred", "remove", "starred", true, false, "historical read"},
		{"history", "starred", "remove", "read", false, true, "historical read starred"},
		{"history", "", "remove", "starred", false, false, "historical read"},
		{"history", "", "add", "collapsed", true, false, "collapsed historical read"},
		{"history", "", "remove", "collapsed", false, false, "historical read"},
	} {
		t.Run(fmt.Sprintf("%s %q %s %s", c.where, c.before, c.op, c.flag), func(t *testing.T) {
			s := s.In(t)
			var id int64
			switch c.where {
			case "received":
				id = post(s, "alice", "general", "x", "x")
			case "history":
				id = post(s, "alice", "side", "x", "x")
			case "direct":
				id = sendDirect(s, "alice", "x", "bob")
			}
			for f := range strings.FieldsSeq(c.before) {
				mark(s, "bob", "add", f, id).OK()
			}
			mine.poll()
			phone.poll()
			ignored := []int64{}
			if c.ignored {
				ignored = append(ignored, side)
			}
			mark(s, "bob", c.op, c.flag, id).Is(200,
				fmt.Sprintf(`{"result":"success","msg":"","messages":[%d],"ignored_because_not_subscribed_channels":%s}`,
					id, kittest.JSON(ignored)))
			want := map[string]any{"type": "update_message_flags", "op": c.op, "operation": c.op, "flag": c.flag,
				"messages": []int64{id}, "all": false}
			if c.op == "remove" && c.flag == "read" {
				details := map[string]any{}
				if c.where == "received" {
					details[fmt.Sprint(id)] = map[string]any{"type": "stream", "stream_id": general, "topic": "x",
						"unmuted_stream_msg": true}
				} else {
					details[fmt.Sprint(id)] = map[string]any{"type": "private", "user_ids": []any{s.UserID("alice")}}
				}
				want["message_details"] = details
			}
			events := []any{want}
			if !c.changed {
				events = []any{}
			}
			equal(t, "bob receives", mine.poll(), kittest.JSON(events))
			equal(t, "bob's phone receives", phone.poll(), kittest.JSON(events))
			if got := others.poll(); len(got) != 0 {
				t.Errorf("olga received %v", got)
			}
			if got := flags(s, "bob", id); got != c.after {
				t.Errorf("later %q, want %q", got, c.after)
			}
			if c.where != "direct" {
				if got := flags(s, "olga", id); got != "" {
					t.Errorf("olga has %q", got)
				}
			}
		})
	}
}

// If one of many IDs is invalid, the request changes nothing. Requests with any number of IDs either succeed and report
// what they changed, or are rejected.
func TestFlagsOfMany(t *testing.T) {
	s := startFull(t)
	var all []int64
	for range 20 {
		all = append(all, post(s, "alice", "general", "x", "x"))
	}
	hidden := post(s, "alice", "secret", "x", "x")
	s.Skip()
	mark(s, "bob", "add", "starred", append([]int64{hidden}, all...)...).Error(400, "BAD_REQUEST", nothing)
	mark(s, "bob", "remove", "read", append(append([]int64{}, all...), hidden)...).Error(400, "BAD_REQUEST", nothing)
	s.NoEvents()
	twice := append(append([]int64{}, all...), all...)
	mark(s, "bob", "add", "starred", twice...).OK()
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"starred","messages":%s,`+
		`"all":false}`, kittest.JSON(all)))
	many := make([]int64, 12_000)
	for i := range many {
		many[i] = 1<<40 + int64(i)
	}
	mark(s, "bob", "add", "starred", append(many, all[0])...).Error(400, "BAD_REQUEST", nothing)
	s.NoEvents()
	mark(s, "bob", "add", "read", append(many, all[0])...).OK()
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d],"all":false}`,
		all[0]))
}

// The legacy endpoints mark whole channels and topics as read: the messages that the user has received, whatever the
// case of the topic.
func TestLegacyMarkEndpoints(t *testing.T) {
	s := startFull(t)
	general := fmt.Sprint(s.ChannelID("general"))
	side := fmt.Sprint(makeChannel(s, "side", []string{"olga", "alice"}))
	post(s, "alice", "side", "x", "x")
	kept := post(s, "alice", "general", "y", "x")
	bob, others := openFlagsQueue(s, "bob"), openFlagsQueue(s, "olga")
	for _, c := range []struct {
		name, call string
		params     []string
		code, msg  string // "": success, without events for bob
	}{
		{"a channel without a subscription", "POST /mark_stream_as_read", []string{"stream_id", side}, "", ""},
		{"its topic", "POST /mark_topic_as_read", []string{"stream_id", side, "topic_name", "x"}, "BAD_REQUEST",
			"No such topic 'x'"},
		{"the empty topic, of which there is nothing", "POST /mark_topic_as_read",
			[]string{"stream_id", general, "topic_name", ""}, "", ""},
		{"the same by its name", "POST /mark_topic_as_read", []string{"stream_id", general, "topic_name", "(no topic)"}, "",
			""},
		{"an unknown topic", "POST /mark_topic_as_read", []string{"stream_id", general, "topic_name", "<z>"}, "BAD_REQUEST",
			"No such topic '<z>'"},
		{"not a channel", "POST /mark_stream_as_read", []string{"stream_id", "general"}, "BAD_REQUEST",
			`Argument "stream_id" is not valid JSON.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.In(t)
			s.Skip()
			a := s.As("bob").Do(c.call, c.params...)
			if c.msg == "" {
				a.Is(200, `{"result":"success","msg":""}`)
			} else {
				a.Error(400, c.code, c.msg)
			}
			s.NoEvents()
		})
	}
	if got := flags(s, "bob", kept); got != "" {
		t.Errorf("%q by endpoints for other places", got)
	}
	s.As("bob").Do("POST /mark_topic_as_read", "stream_id", general, "topic_name", "Y").OK()
	sameJSON(t, "bob", bob.of("update_message_flags"),
		fmt.Sprintf(`{"type":"update_message_flags","op":"add","operation":"add","flag":"read","messages":[%d],"all":false}`,
			kept))
	post(s, "alice", "general", "y", "more")
	s.As("bob").Do("POST /mark_all_as_read").Is(200, `{"result":"success","msg":"","complete":true}`)
	sameJSON(t, "bob", bob.of("update_message_flags"),
		`{"type":"update_message_flags","op":"add","operation":"add","flag":"read","messages":[],"all":true}`)
	sameJSON(t, "olga", others.of("update_message_flags"))
	if got := flags(s, "olga", kept); got != "" {
		t.Errorf("olga has %q", got)
	}
}

// A user who has flagged a message without having received it is not notified of the channel that it is moved to.
func TestFlagDoesNotFollow(t *testing.T) {
	s := startFull(t)
	id := post(s, "olga", "general", "t", "x")
	one := fmt.Sprintf("[%d]", id)
	s.As("mona").Do("POST /messages/flags", "messages", one, "op", "add", "flag", "starred").OK()
	s.As("olga").Do(fmt.Sprintf("PATCH /messages/%d", id), "stream_id", fmt.Sprint(s.ChannelID("secret"))).OK()
	s.As("mona").Do("POST /messages/flags", "messages", one, "op", "remove", "flag", "read").Error(400, "BAD_REQUEST",
		"Invalid message(s)")
}
