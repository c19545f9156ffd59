package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestReceivers checks which users are notified of changes to a message. In each channel, alice sends the message; she
// and bob remain subscribed; guest and mona unsubscribe afterwards; adam subscribes afterwards; bot never subscribes.
// mona and olga, who never subscribes, star the message if they can see it.
func TestReceivers(t *testing.T) {
	s := startFull(t)
	everybody := []string{"alice", "bob", "guest", "mona", "adam", "bot", "olga"}
	for _, c := range []struct {
		name      string
		params    []string
		receivers []string
	}{
		{"public", nil, []string{"alice", "bob", "adam", "mona", "olga"}}, // not guest, who has left
		{"shared", []string{"invite_only", "true", "history_public_to_subscribers", "true"},
			[]string{"alice", "bob", "adam"}},
		{"protected", []string{"invite_only", "true", "history_public_to_subscribers", "false"}, []string{"alice", "bob"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.In(t)
			s.As("alice").Do("POST /users/me/subscriptions",
				append([]string{"subscriptions", fmt.Sprintf(`[{"name":%q}]`, c.name),
					"principals", ids(s, "alice", "bob", "guest", "mona"), "send_new_subscription_messages", "false"},
					c.params...)...).OK()
			id := post(s, "alice", c.name, "x", "x")
			s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", c.name), "principals",
				ids(s, "guest", "mona")).OK()
			subscribe(s, "alice", "adam", c.name)
			mark(s, "mona", "add", "starred", id)
			mark(s, "olga", "add", "starred", id)
			queues := map[string]*queue{}
			for _, who := range everybody {
				queues[who] = openQueue(s, who)
			}
			check := func(what, kind string) {
				t.Helper()
				for _, who := range everybody {
					want := 0
					for _, h := range c.receivers {
						if h == who {
							want = 1
						}
					}
					if got := queues[who].poll(); len(got) != want || want == 1 && got[0]["type"] != kind {
						t.Errorf("%s: %s received %v, want %d of %s", what, who, got, want, kind)
					}
				}
			}
			react(s, "bob", id, "emoji_name", "heart").OK()
			check("a reaction", "reaction")
			s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "heart").OK()
			check("its removal", "reaction")
			edit(s, "alice", id, "content", "y").OK()
			check("an edit", "update_message")
			edit(s, "bob", id, "topic", "z", "send_notification_to_new_thread", "false").OK()
			check("a new topic", "update_message")
			s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
			check("the deletion", "delete_message")
		})
	}
	t.Run("direct", func(t *testing.T) {
		s := s.In(t)
		id := sendDirect(s, "alice", "x", "bob", "guest")
		queues := map[string]*queue{}
		for _, who := range everybody {
			queues[who] = openQueue(s, who)
		}
		check := func(kind string) {
			t.Helper()
			for _, who := range everybody {
				want := map[string]int{"alice": 1, "bob": 1, "guest": 1}[who]
				if kind == "" {
					want = 0
				}
				if got := queues[who].poll(); len(got) != want || want == 1 && got[0]["type"] != kind {
					t.Errorf("%s received %v, want %d of %s", who, got, want, kind)
				}
			}
		}
		react(s, "guest", id, "emoji_name", "heart").OK()
		check("reaction")
		edit(s, "alice", id, "content", "y").OK()
		check("update_message")
		// An owner cannot delete a message that she cannot see.
		s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).Error(400, "BAD_REQUEST", nothing)
		check("")
		s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
		check("delete_message")
	})
}

// The user who deletes is notified whether subscribed or not, and the channel's first message is updated.
func TestDeleterIsNotified(t *testing.T) {
	s := startFull(t)
	general := s.ChannelID("general")
	first, second := post(s, "alice", "general", "x", "x"), post(s, "alice", "general", "x", "y")
	adam, mona := openQueue(s, "adam"), openQueue(s, "mona")
	channels := func(as string) *queue {
		return &queue{s.As(as).Register("event_types", `["stream"]`, "fetch_event_types", "[]"), s}
	}
	queues := map[string]*queue{"bob": channels("bob"), "mona": channels("mona")}
	for _, c := range []struct {
		id   int64
		left any
	}{{first, float64(second)}, {second, nil}} {
		s.As("adam").Do(fmt.Sprintf("DELETE /messages/%d", c.id)).OK()
		sameJSON(t, "adam", adam.of("delete_message"),
			fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"stream","stream_id":%d,"topic":"x"}`, c.id,
				general))
		sameJSON(t, "mona", mona.of("delete_message"))
		for who, q := range queues {
			events := q.poll()
			if len(events) != 1 || events[0]["op"] != "update" || events[0]["property"] != "first_message_id" ||
				events[0]["value"] != c.left {
				t.Errorf("%s received %s, want first message %v", who, kittest.JSON(events), c.left)
			}
		}
	}
}
