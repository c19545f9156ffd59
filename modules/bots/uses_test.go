package bots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// The bot's defaults apply to its event queues unless the request has a narrow or all_public_streams.
func TestQueuesByDefault(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		for _, name := range []string{"plaza", "market"} {
			s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, name)).OK()
		}
		all, one := makeBot(s, "alice", "all", "default_all_public_streams", "true"),
			makeBot(s, "alice", "one", "default_events_register_stream", "plaza")
		hidden := makeBot(s, "alice", "hidden", "default_events_register_stream", "secret")
		low := makeBot(s, "alice", "low", "default_all_public_streams", "true")
		s.As("adam").Do(low.path("PATCH /bots/%d"), "role", "600").OK()
		type listener struct {
			name   string
			bot    testBot
			params []string
			want   string
		}
		listeners := []listener{
			{"all", all, nil, "plaza market renamed direct"},
			{"all, explicitly", all, []string{"all_public_streams", "true"}, "plaza market renamed direct"},
			{"not all", all, []string{"all_public_streams", "false"}, "direct"},
			{"one", one, nil, "plaza renamed"},
			{"one, by an empty narrow", one, []string{"narrow", "[]"}, "plaza renamed"},
			{"an explicit narrow", one, []string{"narrow", `[["channel","market"]]`}, "market"},
			{"an unreadable channel", hidden, nil, ""},
			{"a guest", low, nil, "direct"},
		}
		queues := make([]*kittest.Queue, len(listeners))
		for i, l := range listeners {
			queues[i] = l.bot.client().Register(append(l.params, "event_types", `["message"]`)...)
		}
		low.client().Do("POST /register", "all_public_streams", "true").Error(400, "BAD_REQUEST", "not authorized")
		send := func(to, text string) {
			t.Helper()
			s.As("alice").Do("POST /messages", "type", "stream", "to", to, "topic", "t", "content", text).OK()
		}
		send("plaza", "plaza")
		send("market", "market")
		send("secret", "secret")
		id := s.As("alice").Do("GET /get_stream_id", "stream", "plaza").OK().Int("stream_id")
		s.As("alice").Do(fmt.Sprintf("PATCH /streams/%d", id), "new_name", "square").OK()
		send("square", "renamed")
		s.As("alice").Do("POST /messages", "type", "direct", "to",
			fmt.Sprintf("[%d,%d,%d,%d]", all.id, one.id, hidden.id, low.id), "content", "direct").OK()
		for i, l := range listeners {
			var res struct {
				Events []struct{ Message struct{ Content string } }
			}
			queues[i].Take().JSON(&res)
			var got []string
			for _, e := range res.Events {
				got = append(got, e.Message.Content)
			}
			if strings.Join(got, " ") != l.want {
				t.Errorf("%s received %v, want %s", l.name, got, l.want)
			}
		}
	})
}

// A message without a channel is sent to the bot's default channel, if the bot has permission to post there.
func TestSendsByDefault(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		m, none := makeBot(s, "alice", "helper", "default_sending_stream", "general"), makeBot(s, "alice", "none")
		channel := func(c *kittest.Client, params ...string) *kittest.Response {
			return c.Do("POST /messages", append(params, "type", "stream", "topic", "t", "content", "x")...)
		}
		for _, params := range [][]string{nil, {"to", "[]"}} {
			id := channel(m.client(), params...).OK().Int("id")
			if got := s.As("alice").Do(fmt.Sprintf("GET /messages/%d",
				id)).OK().String("message.display_recipient"); got != "general" {
				t.Errorf("%v goes to %s", params, got)
			}
		}
		channel(none.client()).Error(400, "REQUEST_VARIABLE_MISSING", "'to'")
		channel(none.client(), "to", "[]").Error(400, "BAD_REQUEST", "Expected exactly one channel")
		channel(s.As("alice")).Error(400, "REQUEST_VARIABLE_MISSING", "'to'")
		m.client().Do("POST /messages", "type", "direct", "content", "x").Error(400, "BAD_REQUEST",
			"Message must have recipients")
		m.client().Do("POST /messages", "type", "stream", "content", "x").Error(400, "BAD_REQUEST", "Missing topic")
		s.As("alice").Do(m.path("PATCH /bots/%d"), "default_sending_stream", "secret").OK()
		channel(m.client()).OK() // its owner is subscribed
		s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
		channel(m.client()).Error(400, "STREAM_DOES_NOT_EXIST", "does not exist") // without revealing the channel's name
	})
}
