package messages_test

import (
	"fmt"
	"testing"
)

// What was reacted to is found where it is now.
func TestReactedIsFoundAfterMoving(t *testing.T) {
	s := full(t)
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
	expect("alice", fmt.Sprintf(`[["has","reaction"],{"operator":"sender","operand":%d}]`, s.UserID("alice")), fmt.Sprintf("%d %d", id, other))
	expect("alice", fmt.Sprintf(`[["has","reaction"],{"operator":"sender","operand":%d}]`, s.UserID("bob")), "")
	expect("bob", in("side"), fmt.Sprint(id)) // of a public channel's history
	s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "octopus").OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "tada").OK()
	expect("alice", `[["has","reaction"]]`, fmt.Sprint(other))
}
