package messages_test

import (
	"fmt"
	"testing"
)

// Messages with reactions are found in their current place.
func TestReactedIsFoundAfterMoving(t *testing.T) {
	s := startFull(t)
	side := makeChannel(s, "side", []string{"olga", "alice"})
	id, other := post(s, "alice", "general", "x", "x"), post(s, "alice", "general", "x", "y")
	react(s, "bob", id, "emoji_name", "octopus").OK()
	found := func(as, narrow string) string {
		return list(s, as, "anchor", "newest", "num_before", "10", "narrow", narrow).ids()
	}
	expect := func(as, narrow, want string) {
		t.Helper()
		if got := found(as, narrow); got != want {
			t.Errorf("%s: %s finds %q, want %q", narrow, as, got, want)
		}
	}
	in := func(channel string) string { return fmt.Sprintf(`[["has","reaction"],["channel",%q]]`, channel) }
	expect("alice", in("general"), fmt.Sprint(id))
	edit(s, "olga", id, "stream_id", fmt.Sprint(side), "send_notification_to_new_thread", "false").OK()
	expect("alice", in("general"), "")
	expect("alice", in("side"), fmt.Sprint(id))
	expect("alice", `[["has","reaction"]]`, fmt.Sprint(id))
	expect("bob", `[["has","reaction"],["is","starred"]]`, "")
	react(s, "olga", id, "emoji_name", "tada").OK()
	react(s, "olga", other, "emoji_name", "tada").OK()
	expect("alice", `[["has","reaction"]]`, fmt.Sprintf("%d %d", id, other))
	expect("alice", fmt.Sprintf(`[["has","reaction"],{"operator":"sender","operand":%d}]`, s.UserID("alice")),
		fmt.Sprintf("%d %d", id, other))
	expect("alice", fmt.Sprintf(`[["has","reaction"],{"operator":"sender","operand":%d}]`, s.UserID("bob")), "")
	expect("bob", in("side"), fmt.Sprint(id)) // in a public channel's history
	s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "octopus").OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "tada").OK()
	expect("alice", `[["has","reaction"]]`, fmt.Sprint(other))
}

// Topics, properties and senders together find the same messages, whichever index is searched.
func TestSendersWithManyAndFew(t *testing.T) {
	s := startStored(t)
	s.fill(post(s.Server, "alice", "general", "busy", "x"), 600, "recipient_id")
	other := post(s.Server, "alice", "general", "other", "https://example.com/")
	link, bob := post(s.Server, "bob", "general", "busy", "https://example.com/"),
		post(s.Server, "bob", "general", "other", "x")
	for _, c := range []struct{ sender, term, want string }{
		{"alice", `["topic","other"]`, fmt.Sprint(other)},
		{"alice", `["has","link"]`, fmt.Sprint(other)},
		{"bob", `["topic","busy"]`, fmt.Sprint(link)},
		{"bob", `["topic","Other"]`, fmt.Sprint(bob)},
		{"bob", `["has","link"]`, fmt.Sprint(link)},
		{"bob", `["has","link"],["topic","other"]`, ""},
		{"olga", `["topic","busy"]`, ""},
	} {
		narrow := fmt.Sprintf(`[["channel","general"],{"operator":"sender","operand":%d},%s]`, s.UserID(c.sender), c.term)
		for _, from := range []string{"newest", "oldest"} {
			if got := list(s.Server, "alice", "anchor", from, "num_before", "10", "num_after", "10", "narrow",
				narrow).ids(); got != c.want {
				t.Errorf("%s from %s: %q, want %q", narrow, from, got, c.want)
			}
		}
	}
}
