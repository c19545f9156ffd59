package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// The events of a move between channels for each user, and the message's state afterwards. alice and bob are subscribed
// to both channels, mona and guest to one of them, adam to neither. A guest who is subscribed only to the target was
// not notified of the message and is not notified of the move.
func TestMoveEventsByUser(t *testing.T) {
	const update, gone = "update_message", "delete_message"
	private := []string{"invite_only", "true", "history_public_to_subscribers", "true"}
	protected := []string{"invite_only", "true", "history_public_to_subscribers", "false"}
	s := startFull(t)
	for i, c := range []struct {
		name     string
		from, to []string
		in       []string          // besides alice and bob
		into     []string          // besides alice and bob
		received map[string]string // users without an entry receive nothing
		flags    map[string]string // "-": cannot see it
	}{
		{"public to public", nil, nil, []string{"guest"}, []string{"mona"},
			map[string]string{"alice": update, "bob": update, "guest": gone, "mona": update},
			map[string]string{"bob": "starred", "guest": "-", "mona": "historical read", "adam": "historical read"}},
		{"public to public, the other way", nil, nil, []string{"mona"}, []string{"guest"},
			map[string]string{"alice": update, "bob": update, "mona": update},
			map[string]string{"bob": "starred", "guest": "historical read", "mona": "historical read",
				"adam": "historical read"}},
		{"public to private", nil, private, []string{"guest"}, []string{"mona"},
			map[string]string{"alice": update, "bob": update, "guest": gone, "mona": update},
			map[string]string{"bob": "starred", "guest": "-", "mona": "historical read", "adam": "-"}},
		{"public to private, the other way", nil, private, []string{"mona"}, []string{"guest"},
			map[string]string{"alice": update, "bob": update, "mona": gone},
			map[string]string{"bob": "starred", "guest": "historical read", "mona": "-", "adam": "-"}},
		{"public to protected", nil, protected, []string{"guest"}, []string{"mona"},
			map[string]string{"alice": update, "bob": update, "guest": gone, "mona": update},
			map[string]string{"bob": "starred", "guest": "-", "mona": "read", "adam": "-"}},
		{"private to public", private, nil, []string{"guest"}, []string{"mona"},
			map[string]string{"alice": update, "bob": update, "guest": gone, "mona": update},
			map[string]string{"bob": "starred", "guest": "-", "mona": "historical read", "adam": "historical read"}},
		{"protected to private", protected, private, []string{"guest"}, []string{"mona"},
			map[string]string{"alice": update, "bob": update, "guest": gone, "mona": update},
			map[string]string{"bob": "starred", "guest": "-", "mona": "historical read", "adam": "-"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.In(t)
			of := func(name string, also, params []string) int64 {
				s.As("alice").Do("POST /users/me/subscriptions",
					append([]string{"subscriptions", fmt.Sprintf(`[{"name":%q}]`, name),
						"principals", ids(s, append([]string{"alice", "bob"}, also...)...), "send_new_subscription_messages", "false"},
						params...)...).OK()
				return s.As("alice").Do("GET /get_stream_id", "stream", name).OK().Int("stream_id")
			}
			from, to := fmt.Sprint("from ", i), fmt.Sprint("to ", i)
			source, target := of(from, c.in, c.from), of(to, c.into, c.to)
			id := post(s, "alice", from, "t", "x")
			mark(s, "bob", "add", "starred", id).OK()
			queues := map[string]*queue{}
			for _, who := range []string{"alice", "bob", "mona", "guest", "adam", "olga"} {
				queues[who] = openQueue(s, who)
			}
			edit(s, "alice", id, "stream_id", fmt.Sprint(target), "topic", "u", "propagate_mode", "change_all",
				"send_notification_to_new_thread", "false").OK()
			for who, q := range queues {
				events, want := q.poll(), c.received[who]
				switch {
				case want == "" && len(events) > 0, want != "" && (len(events) != 1 || events[0]["type"] != want):
					t.Errorf("%s received %v, want %q", who, events, want)
				case want == gone && (kittest.JSON(events[0]["stream_id"]) != fmt.Sprint(source) || events[0]["topic"] != "t"):
					t.Errorf("%s received %v, want the old place", who, events[0])
				case want == update && (kittest.JSON(events[0]["stream_id"]) != fmt.Sprint(source) ||
					kittest.JSON(events[0]["new_stream_id"]) != fmt.Sprint(target) ||
					events[0]["orig_subject"] != "t" || events[0]["subject"] != "u"):
					t.Errorf("%s received %v", who, events[0])
				case who == "mona" && want == update && flagsOf(events[0]) != `["read"]`:
					t.Errorf("mona's flags in the event: %s", flagsOf(events[0]))
				}
			}
			for who, want := range c.flags {
				if want == "-" {
					s.As(who).Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", nothing)
				} else if got := flags(s, who, id); got != want {
					t.Errorf("%s has %q, want %q", who, got, want)
				}
			}
		})
	}
}

// If a message is moved to a channel that a user cannot read, and back, the user's star and unread state are lost.
func TestMoveOutAndBack(t *testing.T) {
	s := startFull(t)
	rooms := moveRooms(s)
	id := post(s, "olga", "public", "t", "@**Alice**")
	mark(s, "alice", "add", "starred", id).OK()
	mark(s, "bob", "add", "starred", id).OK()
	for _, name := range []string{"private", "public"} {
		edit(s, "olga", id, "stream_id", fmt.Sprint(rooms[name]), "send_notification_to_new_thread", "false").OK()
	}
	for who, want := range map[string]string{"alice": "historical read", "bob": "starred", "guest": "historical read",
		"adam": "historical read"} {
		if who == "guest" {
			s.As(who).Do(fmt.Sprintf("GET /messages/%d", id)).OK()
		}
		if got := flags(s, who, id); got != want {
			t.Errorf("%s has %q, want %q", who, got, want)
		}
	}
	nothingUnread(t, s, "alice")
	for _, narrow := range []string{`[["is","starred"]]`, `[["is","mentioned"]]`, `[]`} {
		if p := list(s, "alice", "anchor", "newest", "num_before", "10", "narrow", narrow); p.ids() != "" {
			t.Errorf("alice finds %s in %s", p.ids(), narrow)
		}
	}
	if got := unreadOf(s, "bob").Int("unread_msgs.count"); got != 1 {
		t.Errorf("bob has %d unread, want 1", got)
	}
}
