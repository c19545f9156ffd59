package bots_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// An outgoing webhook bot that is subscribed to a channel does not receive its messages: it gets no events and has no
// unread messages, but can read public messages as history. It does receive direct messages.
func TestWebhookBotsGetNoChannelMessages(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		out := makeBot(s, "alice", "out", "bot_type", "3", "payload_url", `"http://one.example"`)
		plain := makeBot(s, "alice", "plain")
		s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"},{"name":"secret"}]`,
			"principals", fmt.Sprintf("[%d,%d]", out.id, plain.id)).OK()
		register := func(m testBot, params ...string) *kittest.Queue {
			return m.client().Register(append(params, "event_types", `["message"]`)...)
		}
		queues := map[string]struct {
			queue *kittest.Queue
			want  string
		}{
			"out":          {register(out), "[direct]"},
			"out, of all":  {register(out, "all_public_streams", "true"), "[general direct]"},
			"plain":        {register(plain), "[general secret direct]"},
			"out, by name": {register(out, "narrow", `[["channel","secret"]]`), "[]"},
		}
		for _, to := range []string{"general", "secret"} {
			s.As("alice").Do("POST /messages", "type", "stream", "to", to, "topic", "t", "content", to).OK()
		}
		s.As("alice").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d,%d]", out.id, plain.id), "content",
			"direct").OK()
		for name, q := range queues {
			var res struct {
				Events []struct{ Message struct{ Content string } }
			}
			q.queue.Take().JSON(&res)
			got := []string{}
			for _, e := range res.Events {
				got = append(got, e.Message.Content)
			}
			if fmt.Sprint(got) != q.want {
				t.Errorf("%s received %v, want %s", name, got, q.want)
			}
		}
		read := func(m testBot, channel string) string {
			a := m.client().Do("GET /messages", "anchor", "newest", "num_before", "1", "narrow",
				fmt.Sprintf(`[["channel",%q]]`, channel)).OK()
			return kittest.JSON(a.Get("messages.0.flags"))
		}
		for _, channel := range []string{"general", "secret"} {
			if got := read(out, channel); got != `["read","historical"]` {
				t.Errorf("out in %s: %s", channel, got)
			}
			if got := read(plain, channel); got != `[]` {
				t.Errorf("plain in %s: %s", channel, got)
			}
		}
		for m, want := range map[*testBot]int64{&out: 1, &plain: 3} {
			a := m.client().Do("POST /register", "event_types", "[]", "fetch_event_types",
				`["message","update_message_flags"]`).OK()
			if got := a.Int("unread_msgs.count"); got != want {
				t.Errorf("%s has %d unread, want %d", m.email, got, want)
			}
		}
		s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["general","secret"]`, "principals",
			fmt.Sprintf("[%d]", out.id)).OK()
		s.As("alice").Do(out.path("DELETE /bots/%d")).OK()
	})
}
